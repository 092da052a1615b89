import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { pods, type Pod } from '@kubevirt-ts/api'
import { createClient } from '@kubevirt-ts/kubecli'
import { reply, scriptedServer, type ScriptedRequest } from '@kubevirt-ts/kubecli/testing'
import type { ServerResponse } from 'node:http'
import { silentLog } from '../testing/silent-log.ts'
import { Informer } from './informer.ts'

const pod = (name: string, resourceVersion: string, uid = name): Pod =>
  ({
    metadata: { name, namespace: 'ns', uid, resourceVersion, managedFields: [{}] },
    spec: { nodeName: 'n1' },
  }) as unknown as Pod

const list = (response: ServerResponse, resourceVersion: string, ...items: Pod[]) =>
  reply(response, 200, { metadata: { resourceVersion }, items })

const event = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`

type Answer = (response: ServerResponse, request: ScriptedRequest) => void

/** Serves lists and watches, each from its own script; the last watch stays open. Who only asks for the version is told it. */
async function informing(script: {
  readonly lists: Answer[]
  readonly watches: Answer[]
  readonly optional?: boolean
  /** The server's version. */
  readonly now?: string
}) {
  const isQuestion = (request: ScriptedRequest) => request.url.searchParams.get('limit') === '1'
  const isWatch = (request: ScriptedRequest) => request.url.searchParams.has('watch')
  const server = await scriptedServer((request, response) => {
    if (isQuestion(request)) return list(response, script.now ?? '1000')
    const next = (isWatch(request) ? script.watches : script.lists).shift()
    if (next !== undefined) next(response, request)
    else response.flushHeaders()
  })
  const client = createClient(server.config, { userAgent: 'test' })
  const stop = new AbortController()
  const log: string[] = []
  const informer = new Informer({
    client,
    resource: pods,
    log: silentLog(),
    ...(script.optional === undefined ? {} : { optional: script.optional }),
    indexers: { node: (each) => (each.spec?.nodeName ? [each.spec.nodeName] : []) },
  })
  const changes = watchChanges(log)
  informer.on({
    added: (object) => changes.push(`+${object.metadata.name}`),
    updated: (before, after) =>
      changes.push(`${before.metadata.name}:${before.metadata.resourceVersion}>${after.metadata.resourceVersion}`),
    deleted: (object) => changes.push(`-${object.metadata.name}`),
  })
  informer.start(stop.signal)
  return {
    informer,
    requests: server.requests,
    queries: (kind: 'list' | 'watch') =>
      server.requests
        .filter((each) => isWatch(each) === (kind === 'watch') && !isQuestion(each))
        .map((each) => each.url.searchParams),
    until: changes.until,
    log,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await client.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Records changes and wakes those who wait for one. */
function watchChanges(log: string[]) {
  const waiting = new Set<() => void>()
  return {
    push(change: string) {
      log.push(change)
      for (const wake of waiting) wake()
    },
    until: async (change: string): Promise<void> => {
      while (!log.includes(change)) {
        await new Promise<void>((resolve) => waiting.add(resolve))
      }
    },
  }
}

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

test('after a watch ended the next one goes on from the last bookmark, without a list', async () => {
  await using it = await informing({
    lists: [(response) => list(response, '10')],
    watches: [
      (response) => response.end(event('BOOKMARK', { metadata: { resourceVersion: '50' } })),
      (response) => response.write(event('ADDED', pod('a', '51'))),
    ],
  })

  await it.until('+a')

  expect(it.queries('list')).toHaveLength(1)
  expect(it.queries('watch').map((query) => query.get('resourceVersion'))).toEqual(['10', '50'])
})

test('a connection that breaks goes on from the last event', async () => {
  await using it = await informing({
    lists: [(response) => list(response, '10')],
    watches: [
      (response) => response.write(event('ADDED', pod('a', '11')), () => setImmediate(() => response.destroy())),
      (response) => response.write(event('ADDED', pod('b', '12'))),
    ],
  })

  await it.until('+b')

  expect(it.queries('list')).toHaveLength(1)
  expect(it.queries('watch').map((query) => query.get('resourceVersion'))).toEqual(['10', '11'])
})

test.each([
  ['an expired version', event('ERROR', { kind: 'Status', code: 410, reason: 'Expired' })],
  ['a broken line', '{"type":"ADDED","object":{"meta\n'],
  ['a failure inside the server', event('ERROR', { kind: 'Status', code: 500, message: 'lost' })],
  ['an event without a version', event('ADDED', { metadata: { name: 'x' } })],
])('after %s everything is listed again and what is gone is told', async (_, bad) => {
  await using it = await informing({
    lists: [
      (response) => list(response, '10', pod('a', '3'), pod('b', '4')),
      (response) => list(response, '20', pod('b', '15'), pod('c', '16')),
    ],
    watches: [(response) => response.end(bad)],
  })

  await it.until('-a')

  expect(it.log).toEqual(['+a', '+b', 'b:4>15', '+c', '-a'])
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

test('a server that does not answer is asked again until it does', async () => {
  await using it = await informing({
    lists: [(response) => response.destroy(), (response) => list(response, '10', pod('a', '3'))],
    watches: [],
  })

  await it.informer.synced

  expect(it.log).toEqual(['+a'])
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

test('an optional API that is not there counts as empty, and is followed once it is', async () => {
  const absent: Answer = (response) => reply(response, 404, { code: 404, reason: 'NotFound' })
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] })
  try {
    await using world = await informing({
      optional: true,
      lists: [absent, absent, (response) => list(response, '1', pod('a', '1'))],
      watches: [],
    })
    await world.informer.synced
    expect(world.informer.list()).toEqual([])
    while (!world.log.includes('+a')) {
      await jest.advanceTimersByTimeAsync(1000)
      await new Promise<void>((resolve) => void setImmediate(resolve))
    }
    expect(world.queries('list')).toHaveLength(3)
  } finally {
    jest.useRealTimers()
  }
})

test('a server that came back with an earlier state is listed again: a watch from a version to come would be silent', async () => {
  await using it = await informing({
    now: '7',
    lists: [
      (response) => list(response, '10', pod('a', '3'), pod('b', '9')),
      (response) => list(response, '7', pod('a', '2')),
    ],
    watches: [(response) => response.destroy(), (response) => response.write(event('ADDED', pod('c', '8')))],
  })

  await it.until('+c')

  expect(it.log).toEqual(['+a', '+b', 'a:3>2', '-b', '+c'])
  expect(it.queries('watch').map((query) => query.get('resourceVersion'))).toEqual(['10', '7'])
})

test('one that goes on where it was is not', async () => {
  await using it = await informing({
    now: '10',
    lists: [(response) => list(response, '10', pod('a', '3'))],
    watches: [(response) => response.destroy(), (response) => response.write(event('MODIFIED', pod('a', '11')))],
  })

  await it.until('a:3>11')

  expect(it.queries('list')).toHaveLength(1)
})
