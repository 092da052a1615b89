import { expect, test } from '@jest/globals'
import type { Node, Pod } from '@kubevirt-ts/api'
import { volumesFrom } from '@kubevirt-ts/scheduling'
import { ClusterCache, type Surroundings } from './cluster-cache.ts'

const surroundings: Surroundings = {
  volumes: volumesFrom({}),
  namespaceLabels: () => undefined,
  namespaces: () => [],
  ownerSelector: () => undefined,
}

const node = (name: string): Node => ({ metadata: { name }, status: { allocatable: { cpu: '4', pods: '10' } } })

function pod(name: string, nodeName?: string): Pod {
  const containers = [{ name: 'c', resources: { requests: { cpu: '1' } } }]
  return { metadata: { name, namespace: 'a', uid: name }, spec: { containers, ...(nodeName ? { nodeName } : {}) } }
}

function newCache() {
  const clock = { now: 0 }
  const cache = new ClusterCache(surroundings, () => clock.now)
  for (const name of ['n1', 'n2']) cache.setNode(node(name))
  return { cache, clock, used: (name: string) => cache.snapshot().node(name)?.requested.milliCpu }
}

test('a pod counts from the moment it is sent to a node, and once when it shows up there', () => {
  const { cache, used } = newCache()
  cache.assume(pod('p'), 'n1')
  expect(used('n1')).toBe(1000)

  cache.finishBinding(pod('p'))
  cache.setPod(pod('p', 'n1'))

  expect(used('n1')).toBe(1000)
  expect(cache.isAssumed(pod('p'))).toBe(false)
})

test('what is given back, deleted or ended is free', () => {
  const { cache, used } = newCache()
  cache.assume(pod('p'), 'n1')
  cache.forget(pod('p'))
  expect(used('n1')).toBe(0)

  cache.setPod(pod('q', 'n1'))
  cache.setPod({ ...pod('q', 'n1'), status: { phase: 'Succeeded' } })
  expect(used('n1')).toBe(0)
})

test('a pod that was assumed here and showed up there is there', () => {
  const { cache, used } = newCache()
  cache.assume(pod('p'), 'n1')
  cache.setPod(pod('p', 'n2'))

  expect([used('n1'), used('n2')]).toEqual([0, 1000])
})

test('an assumption that nobody confirms ends', () => {
  const { cache, clock, used } = newCache()
  cache.assume(pod('p'), 'n1')
  clock.now += 3_600_000
  expect(cache.expireAssumed()).toEqual([])
  cache.finishBinding(pod('p'))
  clock.now += 15 * 60_000

  expect(cache.expireAssumed().map(({ metadata }) => metadata.name)).toEqual(['p'])
  expect(used('n1')).toBe(0)
})

test('a snapshot stays as it is until the next one', () => {
  const { cache } = newCache()
  const before = cache.snapshot().node('n1')!
  cache.assume(pod('p'), 'n1')

  expect(before.requested.milliCpu).toBe(0)
})

test('nodes that go and come back keep their pods', () => {
  const { cache, used } = newCache()
  cache.setPod(pod('p', 'n1'))
  cache.deleteNode('n1')
  expect(cache.snapshot().nodes.map(({ name }) => name)).toEqual(['n2'])

  cache.setNode(node('n1'))

  expect(used('n1')).toBe(1000)
})

test('pods that are seen before their node count once it is there', () => {
  const { cache, used } = newCache()
  cache.setPod(pod('p', 'n3'))
  cache.setNode(node('n3'))

  expect(used('n3')).toBe(1000)
})
