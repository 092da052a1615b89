import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { reply } from '@kubevirt-ts/kubecli/testing'
import { event, informing, list, pod } from '../testing/informing.ts'
import type { Answer } from '../testing/informing.ts'

// Back-off would only make the tests slow: its own test covers it.
beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void jest.restoreAllMocks())

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

test('a server that does not answer is asked again until it does', async () => {
  await using it = await informing({
    lists: [(response) => response.destroy(), (response) => list(response, '10', pod('a', '3'))],
    watches: [],
  })

  await it.informer.synced

  expect(it.log).toEqual(['+a'])
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

  expect(it.log).toEqual(['+a', '+b', 'went back', 'a:3>2', '-b', '+c'])
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
  expect(it.log).not.toContain('went back')
})
