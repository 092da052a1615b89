import { expect, test } from '@jest/globals'
import { nodeResourcesFit, podInfoOf } from '../index.ts'
import { ask, asking, node, nowhere, pod } from '../testing/ask.ts'

const nodes = [node('n1')]

test('each shortage is told; one that no eviction heals is hopeless', () => {
  const pods = [asking('x', { cpu: '3', memory: '1Gi' }, { nodeName: 'n1' })]
  expect(ask(nodeResourcesFit(), asking('p', { cpu: '2' }), { nodes, pods })).toEqual({
    n1: 'Unschedulable: Insufficient cpu',
  })
  const large = asking('p', { cpu: '2', memory: '9Gi', 'example.com/gpu': '3' })
  expect(ask(nodeResourcesFit(), large, { nodes, pods })).toEqual({
    n1: `${nowhere}: Insufficient cpu, Insufficient memory, Insufficient example.com/gpu`,
  })
})

test('the number of pods is limited', () => {
  const full = [node('n1', { status: { allocatable: { pods: '1' } } })]
  const pods = [pod('x', { nodeName: 'n1' })]
  expect(ask(nodeResourcesFit(), pod('p'), { nodes: full, pods })).toEqual({ n1: 'Unschedulable: Too many pods' })
})

test('the largest init container counts, with the sidecars started before it; overhead is added', () => {
  const requests = (cpu: string) => ({ resources: { requests: { cpu } } })
  const wanted = pod('p', {
    initContainers: [
      { name: 's', restartPolicy: 'Always', ...requests('500m') },
      { name: 'i', ...requests('2') },
    ],
    containers: [{ name: 'c', ...requests('1') }],
    overhead: { cpu: '250m' },
  })
  expect(podInfoOf(wanted).requests.milliCpu).toBe(2750)
})

test('ended pods take nothing', () => {
  const pods = [{ ...asking('x', { cpu: '4' }, { nodeName: 'n1' }), status: { phase: 'Succeeded' } }]
  expect(ask(nodeResourcesFit(), asking('p', { cpu: '4' }), { nodes, pods })).toEqual({ n1: 'ok' })
})

test('resources that an extender manages are left to it', () => {
  const rule = nodeResourcesFit({ ignoredResourceGroups: ['example.com'] })
  expect(ask(rule, asking('p', { 'example.com/gpu': '9' }), { nodes })).toEqual({ n1: 'ok' })
})
