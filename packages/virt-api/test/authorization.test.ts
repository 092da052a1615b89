import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { SubjectAccessReview } from '@kubevirt-ts/api'
import { appUnderTest } from './app-under-test.ts'
import { ask, asUser } from './ask.ts'
import { pair } from './certificates.ts'
import { haltedVm, paths } from './halted-vm.ts'

let app: Awaited<ReturnType<typeof appUnderTest>>
let allows: (review: SubjectAccessReview) => boolean

beforeEach(async () => {
  allows = () => true
  app = await appUnderTest({ objects: [haltedVm()], allows: (review) => allows(review) })
})
afterEach(() => app.close())

const start = { method: 'PUT' }

test('the proxy’s user is asked about with all groups, extras and the whole subresource', async () => {
  const headers = { ...asUser, 'X-Remote-Extra-Example.com%2fScopes': 'a' }
  expect((await ask(app.port, `${paths.vm}/start`, { ...start, headers })).status).toBe(202)
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
  const answer = await ask(app.port, `${paths.vm}/start`, { ...start, ...options })
  expect(answer).toMatchObject({ status: 401, text: expect.stringMatching(message) })
  expect(app.client.writes()).toEqual([])
})

test('a proxy of another name than the cluster allows is refused', async () => {
  const strict = await appUnderTest({ objects: [haltedVm()], allowedNames: ['another-front'] })
  try {
    const answer = await ask(strict.port, `${paths.vm}/start`, start)
    expect(answer).toMatchObject({ status: 401, text: expect.stringMatching(/request is not authenticated/) })
    expect(strict.client.writes()).toEqual([])
  } finally {
    await strict.close()
  }
})

test('a subresource of two words is asked about whole', async () => {
  await ask(app.port, `${paths.vmi}/vnc/screenshot`)
  expect(app.reviews[0]!.spec.resourceAttributes).toMatchObject({ verb: 'get', subresource: 'vnc/screenshot' })
})

test('a user who may not is refused with 401', async () => {
  allows = () => false
  expect((await ask(app.port, `${paths.vm}/start`, start)).status).toBe(401)
  expect(app.client.writes()).toEqual([])
})

test('a review that fails denies', async () => {
  allows = () => {
    throw new Error('the API server is away')
  }
  expect(await ask(app.port, `${paths.vm}/start`, start)).toMatchObject({ status: 500, text: '' })
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
