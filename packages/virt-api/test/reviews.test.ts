import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { appUnderTest } from './app-under-test.ts'
import { ask } from './ask.ts'

let app: Awaited<ReturnType<typeof appUnderTest>>
let logged: string[]

beforeEach(async () => {
  logged = []
  app = await appUnderTest({ logged })
})
afterEach(() => app.close())

const review = (object: unknown, operation = 'CREATE', more: object = {}) =>
  JSON.stringify({ request: { uid: 'u', operation, userInfo: { username: 'alice' }, object, ...more } })
const post = (path: string, body: string) =>
  ask(app.port, path, { method: 'POST', body, cert: undefined, key: undefined })
const vmi = { metadata: { name: 'a' }, spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } }

test('a VMI gets its defaults as a patch', async () => {
  const { response } = (await post('/virtualmachineinstances-mutate', review(vmi))).json()
  const patch = JSON.parse(Buffer.from(response.patch, 'base64').toString()) as { path: string; value: any }[]
  expect(patch.find(({ path }) => path === '/spec')!.value.domain.cpu.model).toBe('host-model')
  expect(patch.map(({ path }) => path)).toEqual(['/spec', '/metadata', '/status'])
})

test('a disk without a volume is refused with its field and what to do', async () => {
  const spec = {
    architecture: 'amd64',
    domain: { devices: { disks: [{ name: 'ghost', disk: {} }] }, memory: { guest: '64Mi' } },
  }
  const { response } = (await post('/virtualmachineinstances-validate-create', review({ ...vmi, spec }))).json()
  expect(response).toMatchObject({ allowed: false, status: { code: 422, reason: 'Invalid' } })
  expect(response.status.details.causes).toEqual([
    {
      reason: 'FieldValueInvalid',
      field: 'spec.domain.devices.disks[0].name',
      message: expect.stringMatching(/'ghost' not found: add a volume of this name/),
    },
  ])
})

test.each([
  [
    'a wrong type',
    { ...vmi, spec: { domain: { devices: { disks: 'none' } } } },
    /spec.domain.devices.disks in body must be of type array/,
  ],
  [
    'an unknown field',
    { ...vmi, spec: { domain: { devices: {}, colour: 'blue' } } },
    /spec.domain.colour in body is a forbidden property/,
  ],
  ['no object', null, /it has no metadata/],
])('%s is refused by the schema', async (_, object, message) => {
  const { response } = (await post('/virtualmachineinstances-mutate', review(object))).json()
  expect(response).toMatchObject({ allowed: false, status: { code: 422, message: expect.stringMatching(message) } })
  expect(logged.join()).not.toMatch(/unexpectedly/)
})

test('a status that a user writes is put back', async () => {
  const oldObject = { ...vmi, status: { phase: 'Running' } }
  const { response } = (
    await post(
      '/virtualmachineinstances-mutate',
      review({ ...vmi, status: { phase: 'Failed' } }, 'UPDATE', { oldObject }),
    )
  ).json()
  expect(JSON.parse(Buffer.from(response.patch, 'base64').toString())).toEqual([
    { op: 'replace', path: '/status', value: { phase: 'Running' } },
  ])
})

test('a spec that a user changes on a VMI is refused, and taken from KubeVirt’s own accounts', async () => {
  const oldObject = { ...vmi, status: { nodeName: 'here' } }
  const changed = { ...oldObject, spec: { domain: { devices: {}, memory: { guest: '128Mi' } } } }
  const by = async (userInfo: object) =>
    (await post('/virtualmachineinstances-validate-update', review(changed, 'UPDATE', { oldObject, userInfo }))).json()
      .response.allowed
  const agentOn = (node: string) => ({
    username: 'system:serviceaccount:kubevirt:kubevirt-handler',
    extra: { 'authentication.kubernetes.io/node-name': [node] },
  })
  expect(await by({ username: 'alice' })).toBe(false)
  expect(await by(agentOn('here'))).toBe(true)
  expect(await by(agentOn('elsewhere'))).toBe(false)
})

test('a body that is no review is a Status', async () => {
  expect((await post('/virtualmachines-validate', '{"request"')).json()).toMatchObject({ kind: 'Status', code: 400 })
})
