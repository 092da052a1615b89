import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { pods } from '@kubevirt-ts/api'
import { createClient } from '@kubevirt-ts/kubecli'
import { reply, scriptedServer } from '@kubevirt-ts/kubecli/testing'
import { event, informing, list, pod } from '../testing/informing.ts'
import { silentLog } from '../testing/silent-log.ts'
import { Informer } from './informer.ts'

// Back-off would only make the tests slow: its own test covers it.
beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void jest.restoreAllMocks())

test('a list in pages and a watch from its version make one cache', async () => {
  await using it = await informing({
    lists: [
      (response) =>
        reply(response, 200, { metadata: { resourceVersion: '10', continue: 'p2' }, items: [pod('a', '3')] }),
      (response) => list(response, '10', pod('b', '4')),
    ],
    watches: [
      (response) =>
        response.write(
          event('MODIFIED', pod('a', '11')) + event('DELETED', pod('b', '12')) + event('ADDED', pod('c', '13')),
        ),
    ],
  })

  await it.informer.synced
  await it.until('+c')

  expect(it.log).toEqual(['+a', '+b', 'a:3>11', '-b', '+c'])
  expect(it.informer.byIndex('node', 'n1').map(({ metadata }) => metadata.name)).toEqual(['a', 'c'])
  expect(it.informer.get('ns/a')).toMatchObject({ kind: 'Pod', apiVersion: 'v1' })
  expect(it.informer.get('ns/a')?.metadata.managedFields).toBeUndefined()
  expect(it.queries('list').map((query) => [query.get('limit'), query.get('continue')])).toEqual([
    ['250', null],
    ['250', 'p2'],
  ])
  expect(it.queries('watch')[0]?.get('resourceVersion')).toBe('10')
  expect(it.queries('watch')[0]?.get('allowWatchBookmarks')).toBe('true')
  expect(it.informer.lastContact).toBeGreaterThan(0)
})

test('repeated events are not told again', async () => {
  await using it = await informing({
    lists: [(response) => list(response, '10', pod('a', '3'))],
    watches: [
      (response) =>
        response.write(
          event('ADDED', pod('a', '3')) +
            event('MODIFIED', pod('a', '3')) +
            event('DELETED', pod('z', '11')) +
            event('ADDED', pod('b', '12')),
        ),
    ],
  })

  await it.until('+b')

  expect(it.log).toEqual(['+a', '+b'])
})

test('an object that was replaced under its name while nobody watched is told as gone and new', async () => {
  await using it = await informing({
    lists: [
      (response) => list(response, '10', pod('a', '3', 'old')),
      (response) => list(response, '20', pod('a', '15', 'new')),
    ],
    watches: [(response) => response.end(event('ERROR', { kind: 'Status', code: 410 }))],
  })

  await it.until('-a')

  expect(it.log).toEqual(['+a', '-a', '+a'])
  expect(it.informer.get('ns/a')?.metadata.uid).toBe('new')
})

test('a handler that throws costs nobody else an event', async () => {
  await using it = await informing({
    lists: [(response) => list(response, '10', pod('a', '3'), pod('b', '4'))],
    watches: [],
  })
  it.informer.on({
    added: () => {
      throw new Error('handler')
    },
  })

  await it.informer.synced

  expect(it.log).toEqual(['+a', '+b'])
})

test('a handler that comes late is told what is known', async () => {
  await using it = await informing({ lists: [(response) => list(response, '10', pod('a', '3'))], watches: [] })
  await it.informer.synced
  const names: string[] = []

  it.informer.on({ added: ({ metadata }) => names.push(metadata.name) })

  expect(names).toEqual(['a'])
})

test('an index that was never declared is an error', async () => {
  await using it = await informing({ lists: [(response) => list(response, '10')], watches: [] })
  expect(() => it.informer.byIndex('nodes', 'n1')).toThrow('there is no index "nodes"; there are: node')
})

test('an informer of metadata asks for no more', async () => {
  await using server = await scriptedServer((request, response) => {
    if (request.url.searchParams.has('watch')) response.flushHeaders()
    else list(response, '10', { kind: 'PartialObjectMetadata', ...pod('a', '3') })
  })
  const stop = new AbortController()
  const client = createClient(server.config, { userAgent: 'test' })
  const informer = new Informer({ client, resource: pods, metadataOnly: true, log: silentLog() })

  informer.start(stop.signal)
  await informer.synced

  expect(server.requests[0]?.headers.accept).toBe('application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1')
  expect(informer.get('ns/a')).toMatchObject({ kind: 'Pod', apiVersion: 'v1' })
  stop.abort()
  await client.close()
})
