import { expect, test } from '@jest/globals'
import { podInfoOf, podTopologySpread, snapshotOf } from '../index.ts'
import { ask, node, nowhere, pod } from '../testing/ask.ts'

const zone = (name: string, value: string) => node(name, { labels: { zone: value } })
const nodes = [zone('n1', 'a'), zone('n2', 'b'), node('n3')]
const labels = { app: 'x' }
const spread = (more: object = {}) =>
  pod(
    'p',
    {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: labels },
          ...more,
        },
      ],
    },
    labels,
  )
const pods = [pod('x', { nodeName: 'n1' }, labels)]

test('a domain may not get ahead, and a node without the label is out', () => {
  expect(ask(podTopologySpread(), spread(), { nodes, pods })).toEqual({
    n1: "Unschedulable: node(s) didn't match pod topology spread constraints",
    n2: 'ok',
    n3: `${nowhere}: node(s) didn't match pod topology spread constraints (missing required label)`,
  })
})

test('fewer domains than wanted count as an empty one', () => {
  const even = [...pods, pod('y', { nodeName: 'n2' }, labels)]
  expect(ask(podTopologySpread(), spread(), { nodes, pods: even })).toMatchObject({ n1: 'ok', n2: 'ok' })
  expect(ask(podTopologySpread(), spread({ minDomains: 3 }), { nodes, pods: even })).toMatchObject({
    n1: expect.stringContaining('Unschedulable'),
  })
})

test('what would change without a pod is worked out on a copy', () => {
  const snapshot = snapshotOf({ nodes, pods })
  const rule = podTopologySpread()
  const { state } = rule.prepare(podInfoOf(spread()), snapshot)
  const copy = rule.clone!(state!)
  rule.removePod!(copy, podInfoOf(pods[0]!), snapshot.node('n1')!)

  expect(rule.filter(copy, snapshot.node('n1')!).code).toBe('Success')
  expect(rule.filter(state!, snapshot.node('n1')!).code).toBe('Unschedulable')
})
