import { expect, jest, test } from '@jest/globals'
import type { ServerResponse } from 'node:http'
import { pods, nodes, type Pod } from '@kubevirt-ts/api'
import { ApiError, isAlreadyExists, isConflict, isNotFound } from './api-error.ts'
import { createClient } from './client.ts'
import { reply, scriptedServer } from './testing/index.ts'

const pod = (name: string): Pod => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' } }) as Pod

test('a list names its selection in the query and gives the page', async () => {
  await using server = await scriptedServer((_, response) =>
    reply(response, 200, { metadata: { resourceVersion: '7', continue: 'more' }, items: [pod('a')] }),
  )
  const client = createClient(server.config, { userAgent: 'test/1' })

  const list = await client.list(pods, { namespace: 'default', labelSelector: 'a=b', limit: 1 })

  expect(list).toEqual({ metadata: { resourceVersion: '7', continue: 'more' }, items: [pod('a')] })
  const { url, headers } = server.requests[0]!
  expect(url.pathname).toBe('/api/v1/namespaces/default/pods')
  expect(Object.fromEntries(url.searchParams)).toEqual({ labelSelector: 'a=b', limit: '1' })
  expect(headers['user-agent']).toBe('test/1')
  await client.close()
})

test('a subresource that is created belongs to the object whose name it bears', async () => {
  await using server = await scriptedServer((_, response) => reply(response, 201, {}))
  const client = createClient(server.config, { userAgent: 'test' })

  const eviction = { ...pod('a'), apiVersion: 'policy/v1', kind: 'Eviction' }
  await client.create(pods, eviction, { subresource: 'eviction' })

  expect(server.requests[0]!.url.pathname).toBe('/api/v1/namespaces/default/pods/a/eviction')
  await client.close()
})

test.each([
  ['json', 'application/json-patch+json'],
  ['merge', 'application/merge-patch+json'],
  ['strategic', 'application/strategic-merge-patch+json'],
  ['apply', 'application/apply-patch+yaml'],
] as const)('a %s patch is sent as %s', async (type, contentType) => {
  await using server = await scriptedServer((_, response) => reply(response, 200, pod('a')))
  const client = createClient(server.config, { userAgent: 'test' })

  await client.patch(pods, { namespace: 'default', name: 'a' }, [], { type, subresource: 'status', force: true })

  const { method, url, headers } = server.requests[0]!
  expect([method, url.pathname, url.searchParams.get('force')]).toEqual([
    'PATCH',
    '/api/v1/namespaces/default/pods/a/status',
    'true',
  ])
  expect(headers['content-type']).toBe(contentType)
  await client.close()
})

test('a JSON patch has the escapes of the text with which the API server compares it', async () => {
  await using server = await scriptedServer((_, response) => reply(response, 200, pod('a')))
  const client = createClient(server.config, { userAgent: 'test' })
  const patch = [{ op: 'test', path: '/spec/a', value: 'a && b > c < d\u2028\u2029"é' }]

  await client.patch(pods, { namespace: 'default', name: 'a' }, patch, { type: 'json' })

  const { body } = server.requests[0]!
  expect(JSON.parse(body)).toEqual(patch)
  expect(body).toContain(String.raw`a \u0026\u0026 b \u003e c \u003c d\u2028\u2029\"é`)
  await client.close()
})

test('a refusal becomes an error with the status, its code and its reason', async () => {
  await using server = await scriptedServer((_, response) =>
    reply(response, 409, { kind: 'Status', code: 409, reason: 'AlreadyExists', message: 'pods "a" already exists' }),
  )
  const client = createClient(server.config, { userAgent: 'test' })

  const error = await client.create(pods, pod('a')).catch((caught: unknown) => caught)

  expect(error).toBeInstanceOf(ApiError)
  expect(isAlreadyExists(error)).toBe(true)
  expect(isConflict(error)).toBe(false)
  expect((error as ApiError).message).toBe('POST /api/v1/namespaces/default/pods: pods "a" already exists')
  await client.close()
})

test('a refusal in plain text keeps its words', async () => {
  await using server = await scriptedServer((_, response) => {
    response.writeHead(404)
    response.end('404 page not found\n')
  })
  const client = createClient(server.config, { userAgent: 'test' })

  const error = await client.get(nodes, { name: 'n' }).catch((caught: unknown) => caught)

  expect(isNotFound(error)).toBe(true)
  expect((error as ApiError).message).toContain('404 page not found')
  await client.close()
})

test('a request that the server puts off is sent again after the time it asked for', async () => {
  let answers = 0
  await using server = await scriptedServer((_, response) => {
    answers += 1
    if (answers === 1) reply(response, 429, {}, { 'retry-after': '0.01' })
    else reply(response, 200, pod('a'))
  })
  const client = createClient(server.config, { userAgent: 'test' })

  await expect(client.get(pods, { namespace: 'default', name: 'a' })).resolves.toEqual(pod('a'))
  expect(answers).toBe(2)
  await client.close()
})

test('an unreachable server is named in the error', async () => {
  const server = await scriptedServer(() => undefined)
  await server[Symbol.asyncDispose]()
  const client = createClient(server.config, { userAgent: 'test' })

  await expect(client.get(nodes, { name: 'n' })).rejects.toThrow(
    new RegExp(`GET /api/v1/nodes/n: the API server at ${server.config.server} did not answer`),
  )
})

test('an answer that takes too long is an error', async () => {
  await using server = await scriptedServer(() => undefined)
  const client = createClient(server.config, { userAgent: 'test', timeoutMs: 20 })

  await expect(client.get(nodes, { name: 'n' })).rejects.toThrow('no answer within 20 ms')
  await client.close()
})

test('a name that would leave its place in the path is never sent', async () => {
  await using server = await scriptedServer((_, response) => reply(response, 200, {}))
  const client = createClient(server.config, { userAgent: 'test' })

  await expect(client.get(pods, { namespace: 'default', name: '../secrets/a' })).rejects.toThrow('cannot be part of')
  await expect(client.get(pods, { namespace: '..', name: 'a' })).rejects.toThrow('cannot be part of')
  expect(server.requests).toEqual([])
  await client.close()
})

test('who may not write any more sends no write', async () => {
  await using server = await scriptedServer((_, response) => reply(response, 200, pod('a')))
  const beforeWrite = () => {
    throw new Error('not leading')
  }
  const client = createClient(server.config, { userAgent: 'test', beforeWrite })

  await client.get(pods, { namespace: 'default', name: 'a' })
  await expect(client.create(pods, pod('a'))).rejects.toThrow('not leading')

  expect(server.requests.map(({ method }) => method)).toEqual(['GET'])
  await client.close()
})

test('a write that waited for a connection is not sent once its sender may not write any more', async () => {
  const connections = 32
  const held: ServerResponse[] = []
  const { promise: full, resolve } = Promise.withResolvers<void>()
  await using server = await scriptedServer((_, response) => {
    held.push(response)
    if (held.length === connections) resolve()
  })
  let leads = true
  const beforeWrite = () => {
    if (!leads) throw new Error('not leading')
  }
  const client = createClient(server.config, { userAgent: 'test', beforeWrite })
  const writes = Array.from({ length: connections + 8 }, (_, index) => client.create(pods, pod(`p${index}`)))
  const answers = Promise.allSettled(writes)
  await full

  leads = false
  for (const response of held) reply(response, 201, pod('a'))

  const rejected = (await answers).filter((each) => each.status === 'rejected')
  expect(rejected.map(({ reason }) => (reason as Error).message)).toEqual(
    Array.from({ length: 8 }, () => 'not leading'),
  )
  expect(server.requests).toHaveLength(connections)
  await client.close()
})

test('each request is reported with its verb, resource and status', async () => {
  await using server = await scriptedServer((_, response) => reply(response, 200, pod('a')))
  const onRequest = jest.fn()
  const client = createClient(server.config, { userAgent: 'test', onRequest })

  await client.update(pods, pod('a'))

  expect(onRequest).toHaveBeenCalledWith(expect.objectContaining({ verb: 'update', resource: 'pods', status: 200 }))
  expect(client.lastContact).toBeGreaterThan(0)
  await client.close()
})
