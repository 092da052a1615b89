import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { virtualMachineInstancetypes } from '@kubevirt-ts/api'
import { appUnderTest } from './app-under-test.ts'
import { ask } from './ask.ts'
import { haltedVm, paths } from './halted-vm.ts'

const vm = haltedVm()
let app: Awaited<ReturnType<typeof appUnderTest>>

beforeEach(async () => {
  app = await appUnderTest({ objects: [haltedVm()] })
})
afterEach(() => app.close())

test('a VM without instance type is its own expansion, stored or sent', async () => {
  expect((await ask(app.port, `${paths.vm}/expand-spec`)).json().spec).toEqual(vm.spec)
  const expand = (body: unknown) => ask(app.port, paths.expand, { method: 'PUT', body: JSON.stringify(body) })
  expect((await expand(vm)).json()).toEqual(vm)
  expect((await expand({})).json()).toMatchObject({ code: 400, message: 'empty request body' })
  expect((await expand({ ...vm, spec: { colour: 1 } })).json()).toMatchObject({
    code: 400,
    message: 'Object is not a valid VirtualMachine',
    details: { causes: [{ field: 'spec.colour' }] },
  })
  expect((await expand({ ...vm, metadata: { name: 'a', namespace: 'm' } })).json()).toMatchObject({ code: 400 })
})

test('instance type and preference are written into an expansion; what is not there is told', async () => {
  const expand = (spec: object) =>
    ask(app.port, paths.expand, { method: 'PUT', body: JSON.stringify({ ...vm, spec: { ...vm.spec, ...spec } }) })
  const small = { kind: 'VirtualMachineInstancetype', name: 'small' }
  expect((await expand({ instancetype: small })).json()).toMatchObject({
    code: 400,
    message: expect.stringMatching(/VirtualMachineInstancetype "small" not found/),
  })
  await app.client.create(virtualMachineInstancetypes, {
    apiVersion: 'instancetype.kubevirt.io/v1beta1',
    kind: small.kind,
    metadata: { name: 'small', namespace: 'n' },
    spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' } },
  })
  const { spec } = (await expand({ instancetype: small })).json()
  expect(spec.instancetype).toBeUndefined()
  expect(spec.template.spec.domain.memory.guest).toBe('1Gi')
  const template = { spec: { domain: { devices: {}, memory: { guest: '2Gi' } } } }
  expect((await expand({ instancetype: small, template })).json()).toMatchObject({
    code: 400,
    message: expect.stringMatching(/spec.template.spec.domain.memory.* conflicts with selected instance type/),
  })
})
