import { expect, test } from '@jest/globals'
import { pods } from '@kubevirt-ts/api'
import { createClient } from './client.ts'
import { reply, scriptedServer, type ScriptedRequest } from './testing/index.ts'

const isWatch = ({ url }: ScriptedRequest): boolean => url.searchParams.has('watch')
const list = { metadata: { resourceVersion: '7' }, items: [] }

test('a watch goes on over the connection of the list before it', async () => {
  await using server = await scriptedServer((request, response) => {
    if (!isWatch(request)) return reply(response, 200, list)
    response.write(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '8' } } })}\n`)
  })
  const client = createClient(server.config, { userAgent: 'test' })
  const stop = new AbortController()

  await client.list(pods)
  const watch = client.watch(pods, { signal: stop.signal })[Symbol.asyncIterator]()
  await watch.next()

  expect(server.connections()).toBe(1)
  stop.abort()
  await watch.next()
  await client.close()
})

test('open watches do not keep requests from being sent', async () => {
  const watches = 40
  await using server = await scriptedServer((request, response) => {
    if (!isWatch(request)) return reply(response, 200, list)
    response.write(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '8' } } })}\n`)
  })
  const client = createClient(server.config, { userAgent: 'test' })
  const stop = new AbortController()
  const open = Array.from({ length: watches }, () =>
    client.watch(pods, { signal: stop.signal })[Symbol.asyncIterator](),
  )
  await Promise.all(open.map((watch) => watch.next()))

  await expect(client.list(pods)).resolves.toMatchObject({ items: [] })

  stop.abort()
  await Promise.all(open.map((watch) => watch.next()))
  await client.close()
})

test('a watch whose head does not come is an error', async () => {
  await using server = await scriptedServer(() => undefined)
  const client = createClient(server.config, { userAgent: 'test', timeoutMs: 20 })

  await expect(client.watch(pods)[Symbol.asyncIterator]().next()).rejects.toThrow('no answer within 20 ms')
  await client.close()
})
