import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { request } from 'node:https'
import type { KubeObject } from '@kubevirt-ts/api'
import { appUnderTest } from './app-under-test.ts'
import { ask, asUser } from './ask.ts'
import { pair } from './certificates.ts'

const subresources = '/apis/subresources.kubevirt.io/v1/namespaces/n'

const vm = (name: string) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name, namespace: 'n', uid: name },
  spec: { runStrategy: 'Manual', template: { spec: { domain: { devices: {} } } } },
  status: {},
})

/** Options that clients in the wild send. */
const wild: readonly (readonly [what: string, body: string | undefined])[] = [
  ['no body', undefined],
  ['an empty body', ''],
  ['null', 'null'],
  ['an empty object', '{}'],
  ['a body with unknown keys', '{"bogus":1,"deep":{"er":[]}}'],
  ['a body with keys in another case', '{"PAUSED":true}'],
  ['YAML', 'paused: true\n'],
  ['YAML with a key twice, as JSON may have', 'paused: false\npaused: true\n'],
]

let app: Awaited<ReturnType<typeof appUnderTest>>
const logged: string[] = []
beforeAll(async () => {
  app = await appUnderTest({
    objects: ['a', ...wild.keys(), 'old', 'proto'].map((name) => vm(String(name)) as unknown as KubeObject),
    logged,
    gates: ['HotplugVolumes'],
  })
})
afterAll(() => app.close())

const put = (path: string, body?: string | Buffer, headers: object = {}) =>
  ask(app.port, `${subresources}/${path}`, {
    method: 'PUT',
    ...(body !== undefined && { body }),
    headers: { 'X-Remote-User': 'alice', 'X-Remote-Group': 'staff', ...headers },
  })

const review = (object: unknown, more: object = {}) =>
  JSON.stringify({
    request: { uid: 'u', operation: 'CREATE', namespace: 'n', name: 'a', userInfo: {}, object, ...more },
  })

const admit = (path: string, body: string | Buffer) => ask(app.port, path, { method: 'POST', body })

const huge = 'x'.repeat(100_000)
const keys = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: v`).join('\n')

test.each([...wild.entries()].map(([at, [what, body]]) => [what, at, body] as const))(
  '%s starts a VM',
  async (_what, at, body) => {
    const answer = await put(`virtualmachines/${at}/start`, body, { Accept: '*/*' })
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 202, text: '' })
  },
)

test('the older version of the group takes them too', async () => {
  const path = '/apis/subresources.kubevirt.io/v1alpha3/namespaces/n/virtualmachines/old/start'
  expect(await ask(app.port, path, { method: 'PUT', body: 'null' })).toMatchObject({ status: 202 })
})

describe('bad input is answered with a Status', () => {
  test.each<[string, string, string | Buffer, number]>([
    ['truncated JSON', 'virtualmachines/a/start', '{"paused":tr', 400],
    ['a list', 'virtualmachines/a/start', '[]', 400],
    ['a value of another type', 'virtualmachines/a/start', '{"paused":"yes"}', 400],
    ['bytes that are no text', 'virtualmachines/a/start', Buffer.from([0xff, 0xfe, 0x00, 0x01]), 400],
    ['aliases without end', 'virtualmachines/a/start', bomb(), 400],
    ['10 MB', 'virtualmachines/a/start', Buffer.alloc(10 * 1024 * 1024, 0x20), 413],
    ['lists in lists without end', 'virtualmachines/a/start', `a: ${'['.repeat(30_000)}`, 400],
    ['marks of lists without end', 'virtualmachines/a/start', `${'- '.repeat(30_000)}a`, 400],
    ['JSON lists in lists', 'virtualmachines/a/start', '['.repeat(200_000), 400],
    ['YAML with more keys than it may have', 'virtualmachines/a/start', keys(20_000), 413],
    ['a string of 100 KB', 'virtualmachines/a/addvolume', JSON.stringify({ name: huge, disk: { name: huge } }), 400],
    ['an unknown subresource', 'virtualmachines/a/explode', '{}', 404],
    ['an unknown VM', 'virtualmachines/nobody/start', '{}', 404],
    ['no VM at all', 'expand-vm-spec', '{"spec":{"template":7}}', 400],
    ['an empty VM', 'expand-vm-spec', '', 400],
  ])('%s', async (_case, path, body, code) => {
    const answer = await put(path, body)
    expect(answer.status).toBe(code)
    expect(answer.json()).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      code,
      reason: expect.stringMatching(/\w/),
    })
    expect(answer.text).not.toMatch(/\.ts:|node_modules|at Object/)
  })

  test('a body that is too long is taken to its end, so that a proxy before it can pass on the refusal', async () => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; isSent: boolean }>()
    const outgoing = request(
      `https://127.0.0.1:${app.port}${subresources}/virtualmachines/a/start`,
      { method: 'PUT', rejectUnauthorized: false, headers: asUser, ...pair('proxy') },
      (answer) => {
        resolve({ status: answer.statusCode ?? 0, isSent: outgoing.writableFinished })
        answer.resume()
      },
    )
    outgoing.once('error', reject)
    outgoing.end(Buffer.alloc(20 * 1024 * 1024, 0x20))
    expect(await promise).toEqual({ status: 413, isSent: true })
  })

  test('an address that is too long or can not be read, and headers that are', async () => {
    const start = (name: string) => ask(app.port, `${subresources}/virtualmachines/${name}/start`, { method: 'PUT' })
    expect((await start(huge)).json()).toMatchObject({
      code: 414,
      reason: 'RequestURITooLong',
      message: 'the name in the address is too long',
    })
    expect((await start('%zz')).json()).toMatchObject({ kind: 'Status', code: 400 })
    expect((await start(huge.repeat(11))).json()).toMatchObject({ code: 431, reason: 'RequestHeaderFieldsTooLarge' })
  })

  test('but for a content type there is no wrong one', async () => {
    for (const type of ['', 'x', 'application/xml', huge.slice(0, 5000)]) {
      const answer = await put('virtualmachines/nobody/start', '{}', { 'Content-Type': type })
      expect(answer.json()).toMatchObject({ kind: 'Status', code: 404 })
    }
  })

  test('keys of the prototype are only keys', async () => {
    const body = '{"__proto__":{"paused":true},"constructor":{"prototype":{"polluted":1}},"dryRun":["All"]}'
    expect(await put('virtualmachines/proto/start', body)).toMatchObject({ status: 202 })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(({} as Record<string, unknown>)['paused']).toBeUndefined()
  })

  test('another method, and a path that is none, are told as such', async () => {
    const patch = await ask(app.port, `${subresources}/virtualmachines/a/start`, { method: 'PATCH', body: '{}' })
    expect(patch.status).toBe(405)
    expect(patch.json()).toMatchObject({ kind: 'Status', code: 405, reason: 'MethodNotAllowed' })
    expect(patch.headers['allow']).toBe('PUT')
    const unknown = await ask(app.port, `${subresources}/virtualmachines/a/fly`, { method: 'PUT', body: '{}' })
    expect(unknown.json()).toMatchObject({ kind: 'Status', code: 404 })
    const nameless = await ask(app.port, `${subresources}/virtualmachines//start`, { method: 'PUT' })
    expect(nameless.json()).toMatchObject({
      code: 404,
      message: expect.stringContaining('a name in its address is empty'),
    })
    const odd = await ask(app.port, `${subresources}/virtualmachines/%00/start`, { method: 'PUT' })
    expect(odd.status).toBeGreaterThanOrEqual(400)
    expect(odd.status).toBeLessThan(500)
  })
})

const paths = [
  '/virtualmachines-mutate',
  '/virtualmachines-validate',
  '/virtualmachineinstances-mutate',
  '/virtualmachineinstances-validate-create',
  '/virtualmachineinstances-validate-update',
  '/virtualmachinereplicaset-validate',
  '/virtualmachinepool-validate',
  '/migration-mutate-create',
  '/migration-validate-create',
  '/migration-validate-update',
  '/vmipreset-validate',
  '/vm-clone-validate-create',
  '/virtualmachineinstancetypes-validate',
  '/virtualmachinepreferences-validate',
  '/status-validate',
]

describe('reviews that no API server would send', () => {
  const guest = (spec: unknown, metadata: object = { name: 'a' }) => ({ metadata, spec })
  const filled = (value: unknown) => ({
    domain: { devices: { disks: value, interfaces: value }, memory: { guest: value }, cpu: value },
    volumes: value,
    networks: value,
    nodeSelector: value,
  })

  test.each([
    ['nothing', ''],
    ['truncated', '{"request":{'],
    ['null', 'null'],
    ['no request', '{}'],
    ['a request that is none', '{"request":7}'],
  ])('%s: 400', async (_case, body) => {
    for (const path of paths) expect({ path, ...(await admit(path, body)) }).toMatchObject({ path, status: 400 })
  })

  test.each<[string, unknown]>([
    ['null', null],
    ['a number', 7],
    ['a list', []],
    ['no metadata', { spec: {} }],
    ['no spec', { metadata: {} }],
    ['numbers everywhere', guest(filled(7))],
    ['strings everywhere', guest(filled(huge))],
    ['lists of null', guest(filled([null, null]))],
    ['lists of lists', guest(filled([[[]]]))],
    ['empty objects', guest(filled({}))],
    ['__proto__', JSON.parse('{"metadata":{"name":"a"},"spec":{"__proto__":{"domain":{}},"domain":{"devices":{}}}}')],
    ['labels that are none', guest({ domain: { devices: {} } }, { labels: 7, annotations: 'x', finalizers: {} })],
  ])(
    '%s: a verdict, not a crash',
    async (_case, object) => {
      const asked = paths.flatMap((path) => (['CREATE', 'UPDATE'] as const).map((operation) => ({ path, operation })))
      const answers = await Promise.all(
        asked.map(async ({ path, operation }) => ({
          path,
          ...(await admit(path, review(object, { operation, oldObject: object }))),
        })),
      )
      expect(answers.filter(({ status }) => status !== 200)).toEqual([])
      expect(answers.filter(({ text }) => /\.ts:|node_modules/.test(text))).toEqual([])
    },
    60_000,
  )
})

test('200 reviews at once are all answered', async () => {
  const object = { metadata: { name: 'a' }, spec: { domain: { devices: {}, memory: { guest: '128Mi' } } } }
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => admit('/virtualmachineinstances-mutate', review(object))),
  )
  expect(answers.every(({ status, text }) => status === 200 && text.includes('"allowed":true'))).toBe(true)
}, 60_000)

/** YAML that would be gigabytes if its aliases were written out. */
function bomb(): string {
  const levels = Array.from(
    { length: 9 },
    (_, at) => `l${at + 1}: &l${at + 1} [${Array(10).fill(`*l${at}`).join(', ')}]`,
  )
  return ['l0: &l0 [x, x, x]', ...levels].join('\n')
}
