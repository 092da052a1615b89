import { Agent } from 'node:https'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import {
  virtualMachineInstanceMigrations,
  virtualMachineInstances,
  virtualMachineInstancetypes,
  virtualMachines,
} from '@kubevirt-ts/api'
import type { SubjectAccessReview, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { appUnderTest } from './app-under-test.ts'
import { ask, asUser } from './ask.ts'
import { pair } from './certificates.ts'

const base = '/apis/subresources.kubevirt.io/v1/namespaces/n/virtualmachines'
const vm: VirtualMachine = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'a', namespace: 'n' },
  spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } } },
}

let app: Awaited<ReturnType<typeof appUnderTest>>
let allows: (review: SubjectAccessReview) => boolean
let logged: string[]

beforeEach(async () => {
  allows = () => true
  logged = []
  app = await appUnderTest({ objects: [structuredClone(vm)], allows: (review) => allows(review), logged })
})
afterEach(() => app.close())

describe('who may ask', () => {
  const start = { method: 'PUT' }

  test('the proxy’s user is asked about with all groups, extras and the whole subresource', async () => {
    const headers = { ...asUser, 'X-Remote-Extra-Example.com%2fScopes': 'a' }
    expect((await ask(app.port, `${base}/a/start`, { ...start, headers })).status).toBe(202)
    expect(app.reviews[0]!.spec).toEqual({
      user: 'alice',
      groups: ['staff', 'system:authenticated'],
      extra: { 'example.com/scopes': ['a'] },
      resourceAttributes: {
        group: 'subresources.kubevirt.io',
        version: 'v1',
        namespace: 'n',
        resource: 'virtualmachines',
        name: 'a',
        subresource: 'start',
        verb: 'update',
      },
    })
  })

  test.each([
    ['no certificate', { cert: undefined, key: undefined }, /request is not authenticated/],
    ['a certificate of another authority', pair('stranger'), /request is not authenticated/],
    ['no user', { headers: { 'X-Remote-Group': 'staff' } }, /a valid user header is required/],
    ['no group', { headers: { 'X-Remote-User': 'alice' } }, /a valid group header is required/],
  ])('%s is refused with 401 and nothing is changed', async (_, options, message) => {
    const answer = await ask(app.port, `${base}/a/start`, { ...start, ...options })
    expect(answer).toMatchObject({ status: 401, text: expect.stringMatching(message) })
    expect(app.client.writes()).toEqual([])
  })

  test('a proxy of another name than the cluster allows is refused', async () => {
    const strict = await appUnderTest({ objects: [structuredClone(vm)], allowedNames: ['another-front'] })
    try {
      const answer = await ask(strict.port, `${base}/a/start`, start)
      expect(answer).toMatchObject({ status: 401, text: expect.stringMatching(/request is not authenticated/) })
      expect(strict.client.writes()).toEqual([])
    } finally {
      await strict.close()
    }
  })

  test('a subresource of two words is asked about whole', async () => {
    await ask(app.port, `${base.replace(/s$/, 'instances')}/a/vnc/screenshot`)
    expect(app.reviews[0]!.spec.resourceAttributes).toMatchObject({ verb: 'get', subresource: 'vnc/screenshot' })
  })

  test('a user who may not is refused with 401', async () => {
    allows = () => false
    expect((await ask(app.port, `${base}/a/start`, start)).status).toBe(401)
    expect(app.client.writes()).toEqual([])
  })

  test('a review that fails denies', async () => {
    allows = () => {
      throw new Error('the API server is away')
    }
    expect(await ask(app.port, `${base}/a/start`, start)).toMatchObject({ status: 500, text: '' })
    expect(app.client.writes()).toEqual([])
  })

  test.each([
    '/',
    '/apis',
    '/healthz',
    '/openapi/v2',
    '/openapi/v3',
    '/apis/subresources.kubevirt.io/v1',
    '/apis/subresources.kubevirt.io/v1alpha3/version',
  ])('%s is open to all', async (path) => {
    expect((await ask(app.port, path, { cert: undefined, key: undefined, headers: {} })).status).toBe(200)
  })
})

describe('subresources', () => {
  test('start changes the run strategy', async () => {
    expect((await ask(app.port, `${base}/a/start`, { method: 'PUT' })).status).toBe(202)
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
      expect((await ask(app.port, `${base}/a/${verb}`, { method: 'PUT' })).status).toBe(202)
    }
    const once = ['virtualmachines', 'virtualmachineinstances']
    expect(asked).toEqual([...once, 'virtualmachines', ...once])
    expect(app.reviews.map(({ spec }) => spec.resourceAttributes?.subresource)).toEqual(['start', 'stop'])
  })

  test.each([
    ['YAML', 'paused: true'],
    ['a key in another case', '{"PAUSED":true}'],
  ])('options come as %s', async (_, body) => {
    expect((await ask(app.port, `${base}/a/start`, { method: 'PUT', body })).status).toBe(202)
    const [{ status }] = app.client.objects(virtualMachines) as [VirtualMachine]
    expect(status!.stateChangeRequests).toEqual([{ action: 'Start', data: { paused: 'true' } }])
  })

  test.each([
    ['null', 'null'],
    ['unknown keys', '{"colour":"blue","__proto__":{"paused":true}}'],
  ])('a body of %s is no options', async (_, body) => {
    expect((await ask(app.port, `${base}/a/start`, { method: 'PUT', body })).status).toBe(202)
  })

  test.each([
    ['truncated JSON', '{"paus', 400],
    ['a wrong type', '{"paused":"yes"}', 400],
    ['ten megabytes', Buffer.alloc(10_000_000), 413],
  ])('%s is refused with a Status and without a stack', async (_, body, code) => {
    const answer = await ask(app.port, `${base}/a/start`, { method: 'PUT', body })
    expect(answer.json()).toMatchObject({ kind: 'Status', status: 'Failure', code })
    expect(answer.text).not.toMatch(/at .*\.ts/)
  })

  test('a VM that is not there is a Status with its name', async () => {
    expect((await ask(app.port, `${base}/b/stop`, { method: 'PUT' })).json()).toMatchObject({
      code: 404,
      reason: 'NotFound',
      details: { name: 'b', kind: 'virtualmachine' },
    })
  })

  test.each([
    ['an unknown subresource', 'PUT', `${base}/a/explode`, 404],
    ['a stream without an upgrade', 'GET', `${base.replace('machines', 'machineinstances')}/a/console`, 400],
  ])('%s is refused by name', async (_, method, path, code) => {
    expect((await ask(app.port, path, { method })).json()).toMatchObject({ kind: 'Status', code })
  })

  test('removevolume takes the volume out of the template', async () => {
    const body = 'name: v'
    expect((await ask(app.port, `${base}/a/removevolume`, { method: 'PUT', body })).json()).toMatchObject({
      code: 409,
      message: expect.stringMatching(/Unable to remove volume \[v\] because it does not exist/),
    })
  })

  test('a VM without instance type is its own expansion, stored or sent', async () => {
    expect((await ask(app.port, `${base}/a/expand-spec`)).json().spec).toEqual(vm.spec)
    const path = base.replace('virtualmachines', 'expand-vm-spec')
    const expand = (body: unknown) => ask(app.port, path, { method: 'PUT', body: JSON.stringify(body) })
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
    const path = base.replace('virtualmachines', 'expand-vm-spec')
    const expand = (spec: object) =>
      ask(app.port, path, { method: 'PUT', body: JSON.stringify({ ...vm, spec: { ...vm.spec, ...spec } }) })
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

  test.each([
    ['objectgraph', 'GET', `${base}/a/objectgraph`, 400, /ObjectGraph feature gate/],
    ['migrate', 'PUT', `${base}/a/migrate`, 404, /virtualmachineinstance.kubevirt.io "a" not found/],
    ['evacuate/cancel', 'PUT', `${base}/a/evacuate/cancel`, 404, /virtualmachineinstance.kubevirt.io "a" not found/],
    ['addvolume without a body', 'PUT', `${base}/a/addvolume`, 400, /no body/],
    ['removememorydump', 'PUT', `${base}/a/removememorydump`, 409, /no memory dump/],
  ])('%s says why it can not be', async (_, method, path, code, message) => {
    expect((await ask(app.port, path, { method })).json()).toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
  })

  describe('of a running guest', () => {
    const guest = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: { name: 'a', namespace: 'n' },
      spec: { domain: { devices: {} } },
      status: { phase: 'Running', nodeName: 'node-1', evacuationNodeName: 'node-1' },
    } as unknown as VirtualMachineInstance

    beforeEach(async () => {
      await app.close()
      app = await appUnderTest({ objects: [structuredClone(vm), structuredClone(guest)] })
    })

    test('migrate makes a migration', async () => {
      const body = '{"addedNodeSelector":{"zone":"b"}}'
      expect((await ask(app.port, `${base}/a/migrate`, { method: 'PUT', body })).status).toBe(202)
      expect(app.client.objects(virtualMachineInstanceMigrations)).toMatchObject([
        { metadata: { namespace: 'n' }, spec: { vmiName: 'a', addedNodeSelector: { zone: 'b' } } },
      ])
    })

    test('evacuate/cancel clears the mark, unless it names another node', async () => {
      const cancel = (evacuationNodeName: string) =>
        ask(app.port, `${base}/a/evacuate/cancel`, { method: 'PUT', body: JSON.stringify({ evacuationNodeName }) })
      expect((await cancel('node-2')).status).toBe(409)
      expect((await cancel('node-1')).status).toBe(200)
      expect(app.client.objects(virtualMachineInstances)[0]!.status!.evacuationNodeName).toBeUndefined()
    })

    test('an object graph is drawn by the options in the body of the GET', async () => {
      await app.close()
      app = await appUnderTest({ objects: [structuredClone(vm), structuredClone(guest)], gates: ['ObjectGraph'] })
      const body = '{"labelSelector":{"matchLabels":{"kubevirt.io/dependency-type":"compute"}}}'
      const headers = { ...asUser, 'Content-Length': body.length }
      expect((await ask(app.port, `${base}/a/objectgraph`, { body, headers })).json()).toEqual({
        objectReference: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', namespace: 'n', name: 'a' },
        children: [
          {
            objectReference: { apiGroup: 'kubevirt.io', kind: 'VirtualMachineInstance', namespace: 'n', name: 'a' },
            labels: { 'kubevirt.io/dependency-type': 'compute' },
          },
        ],
      })
    })

    test('with HotplugVolumes a volume waits in the status of its VM', async () => {
      await app.close()
      app = await appUnderTest({ objects: [structuredClone(vm)], gates: ['HotplugVolumes'] })
      const body = 'name: v\ndisk: {}\nvolumesource: { dataVolume: { name: d } }'
      expect((await ask(app.port, `${base}/a/addvolume`, { method: 'PUT', body })).status).toBe(202)
      expect(app.client.objects(virtualMachines)[0]!.status!.volumeRequests).toMatchObject([
        { addVolumeOptions: { name: 'v', disk: { name: 'v' }, volumeSource: { dataVolume: { hotpluggable: true } } } },
      ])
    })

    test('a guest that is paused for a snapshot of its VM is not resumed', async () => {
      await app.close()
      const snapshot = { ...structuredClone(vm), status: { snapshotInProgress: 'snap' } }
      app = await appUnderTest({ objects: [snapshot as unknown as VirtualMachine, structuredClone(guest)] })
      const guests = base.replace('machines', 'machineinstances')
      expect((await ask(app.port, `${guests}/a/unpause`, { method: 'PUT' })).json()).toMatchObject({
        code: 409,
        message: expect.stringMatching(/VM snapshot is in progress/),
      })
    })

    test('backup needs its tracking, sev its attestation', async () => {
      const guests = base.replace('machines', 'machineinstances')
      expect((await ask(app.port, `${guests}/a/backup`, { method: 'PUT' })).json()).toMatchObject({ code: 409 })
      expect(await ask(app.port, `${guests}/a/sev/fetchcertchain`)).toMatchObject({
        status: 500,
        text: expect.stringMatching(/Attestation not requested/),
      })
    })
  })

  test('a guest that is not there fails as text, as readers of guest information expect', async () => {
    const path = `${base.replace('machines', 'machineinstances')}/a/guestosinfo`
    expect(await ask(app.port, path)).toMatchObject({ status: 500, text: expect.stringMatching(/"a" not found/) })
  })
})

describe('webhooks', () => {
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
      (
        await post('/virtualmachineinstances-validate-update', review(changed, 'UPDATE', { oldObject, userInfo }))
      ).json().response.allowed
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
})

test('idle connections outlive the API server’s own, so that no review meets a closing one', async () => {
  const agent = new Agent({ keepAlive: true })
  const answer = await ask(app.port, '/apis', { agent })
  agent.destroy()
  expect(answer.headers['keep-alive']).toBe('timeout=120')
})
