import { expect, test } from '@jest/globals'
import { nodeName, nodePorts, nodeUnschedulable, taintToleration } from '../index.ts'
import { ask, node, nowhere, pod } from '../testing/ask.ts'

test('a cordoned node only takes pods that tolerate it', () => {
  const nodes = [node('n1', { spec: { unschedulable: true } }), node('n2')]

  expect(ask(nodeUnschedulable, pod('p'), { nodes })).toEqual({
    n1: `${nowhere}: node(s) were unschedulable`,
    n2: 'ok',
  })
  const tolerations = [{ operator: 'Exists' as const }]
  expect(ask(nodeUnschedulable, pod('p', { tolerations }), { nodes })).toEqual({ n1: 'ok', n2: 'ok' })
})

test('a pod that names its node fits nowhere else', () => {
  expect(ask(nodeName, pod('p', { nodeName: 'n2' }), { nodes: [node('n1'), node('n2')] })).toEqual({
    n1: `${nowhere}: node(s) didn't match the requested node name`,
    n2: 'ok',
  })
})

test('taints that exclude must be tolerated, by key, value and effect', () => {
  const taint = { key: 'gpu', value: 'yes', effect: 'NoSchedule' }
  const nodes = [
    node('n1', { spec: { taints: [taint] } }),
    node('n2', { spec: { taints: [{ ...taint, effect: 'PreferNoSchedule' }] } }),
  ]
  const refused = `${nowhere}: node(s) had untolerated taint(s)`

  expect(ask(taintToleration, pod('p'), { nodes })).toEqual({ n1: refused, n2: 'ok' })
  const wrong = pod('p', { tolerations: [{ key: 'gpu', value: 'no' }] })
  expect(ask(taintToleration, wrong, { nodes })).toEqual({ n1: refused, n2: 'ok' })
  const right = pod('p', { tolerations: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] })
  expect(ask(taintToleration, right, { nodes })).toEqual({ n1: 'ok', n2: 'ok' })
})

test('a host port is taken per protocol, and 0.0.0.0 conflicts with every address', () => {
  const ports = (hostIP: string, protocol = 'TCP') => ({
    containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort: 80, hostIP, protocol }] }],
  })
  const pods = [
    pod('x', { ...ports('127.0.0.1'), nodeName: 'n1' }),
    pod('y', { ...ports('0.0.0.0', 'UDP'), nodeName: 'n2' }),
  ]
  const objects = { nodes: [node('n1'), node('n2')], pods }
  const refused = "Unschedulable: node(s) didn't have free ports for the requested pod ports"

  expect(ask(nodePorts, pod('p', ports('')), objects)).toEqual({ n1: refused, n2: 'ok' })
  expect(ask(nodePorts, pod('p', ports('10.0.0.1')), objects)).toEqual({ n1: 'ok', n2: 'ok' })
  expect(ask(nodePorts, pod('p'), objects)).toBe('skip')
})
