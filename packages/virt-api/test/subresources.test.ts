import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { virtualMachines } from '@kubevirt-ts/api'
import type { VirtualMachine } from '@kubevirt-ts/api'
import { appUnderTest } from './app-under-test.ts'
import { ask } from './ask.ts'
import { haltedVm, paths } from './halted-vm.ts'

let app: Awaited<ReturnType<typeof appUnderTest>>

beforeEach(async () => {
  app = await appUnderTest({ objects: [haltedVm()] })
})
afterEach(() => app.close())

test('start changes the run strategy', async () => {
  expect((await ask(app.port, `${paths.vm}/start`, { method: 'PUT' })).status).toBe(202)
  expect(app.client.objects(virtualMachines)[0]!.spec.runStrategy).toBe('Always')
})

test('a VM that its strategy keeps running is stopped without a look at its guest, and its user asked about once', async () => {
  const asked: string[] = []
  const get = app.client.get.bind(app.client)
  app.client.get = (async (resource, reference, options) => {
    asked.push(resource.plural)
    return get(resource, reference, options)
  }) as typeof get
  for (const verb of ['start', 'stop', 'start']) {
    expect((await ask(app.port, `${paths.vm}/${verb}`, { method: 'PUT' })).status).toBe(202)
  }
  const once = ['virtualmachines', 'virtualmachineinstances']
  expect(asked).toEqual([...once, 'virtualmachines', ...once])
  expect(app.reviews.map(({ spec }) => spec.resourceAttributes?.subresource)).toEqual(['start', 'stop'])
})

test('a dry run that the address asks for changes nothing, and another word there is refused', async () => {
  expect((await ask(app.port, `${paths.vm}/start?dryRun=All`, { method: 'PUT', body: 'null' })).status).toBe(202)
  expect((await ask(app.port, `${paths.vm}/start?dryRun=true`, { method: 'PUT' })).json()).toMatchObject({
    code: 422,
    reason: 'Invalid',
    details: { causes: [{ field: 'dryRun' }] },
  })
  expect(app.client.objects(virtualMachines)[0]!.spec.runStrategy).toBe('Halted')
})

test.each([
  ['YAML', 'paused: true'],
  ['a key in another case', '{"PAUSED":true}'],
])('options come as %s', async (_, body) => {
  expect((await ask(app.port, `${paths.vm}/start`, { method: 'PUT', body })).status).toBe(202)
  const [{ status }] = app.client.objects(virtualMachines) as [VirtualMachine]
  expect(status!.stateChangeRequests).toEqual([{ action: 'Start', data: { paused: 'true' } }])
})

test.each([
  ['null', 'null'],
  ['unknown keys', '{"colour":"blue","__proto__":{"paused":true}}'],
])('a body of %s is no options', async (_, body) => {
  expect((await ask(app.port, `${paths.vm}/start`, { method: 'PUT', body })).status).toBe(202)
})

test.each([
  ['truncated JSON', '{"paus', 400],
  ['a wrong type', '{"paused":"yes"}', 400],
  ['ten megabytes', Buffer.alloc(10_000_000), 413],
])('%s is refused with a Status and without a stack', async (_, body, code) => {
  const answer = await ask(app.port, `${paths.vm}/start`, { method: 'PUT', body })
  expect(answer.json()).toMatchObject({ kind: 'Status', status: 'Failure', code })
  expect(answer.text).not.toMatch(/at .*\.ts/)
})

test('a VM that is not there is a Status with its name', async () => {
  expect((await ask(app.port, `${paths.vm.replace(/a$/, 'b')}/stop`, { method: 'PUT' })).json()).toMatchObject({
    code: 404,
    reason: 'NotFound',
    details: { name: 'b', kind: 'virtualmachine' },
  })
})

test.each([
  ['an unknown subresource', 'PUT', `${paths.vm}/explode`, 404],
  ['a stream of nobody', 'GET', `${paths.vmi}/console`, 404],
])('%s is refused by name', async (_, method, path, code) => {
  expect((await ask(app.port, path, { method })).json()).toMatchObject({ kind: 'Status', code })
})

test('removevolume takes the volume out of the template', async () => {
  const body = 'name: v'
  expect((await ask(app.port, `${paths.vm}/removevolume`, { method: 'PUT', body })).json()).toMatchObject({
    code: 409,
    message: expect.stringMatching(/Unable to remove volume \[v\] because it does not exist/),
  })
})

test.each([
  ['objectgraph', 'GET', `${paths.vm}/objectgraph`, 400, /ObjectGraph feature gate/],
  ['migrate', 'PUT', `${paths.vm}/migrate`, 404, /virtualmachineinstance.kubevirt.io "a" not found/],
  ['evacuate/cancel', 'PUT', `${paths.vm}/evacuate/cancel`, 404, /virtualmachineinstance.kubevirt.io "a" not found/],
  ['addvolume without a body', 'PUT', `${paths.vm}/addvolume`, 400, /no body/],
  ['removememorydump', 'PUT', `${paths.vm}/removememorydump`, 409, /no memory dump/],
])('%s says why it can not be', async (_, method, path, code, message) => {
  expect((await ask(app.port, path, { method })).json()).toMatchObject({
    code,
    message: expect.stringMatching(message),
  })
})

test('a guest that is not there fails as text, as readers of guest information expect', async () => {
  const path = `${paths.vmi}/guestosinfo`
  expect(await ask(app.port, path)).toMatchObject({ status: 500, text: expect.stringMatching(/"a" not found/) })
})
