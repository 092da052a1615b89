import { expect, test } from '@jest/globals'
import type { Pod } from '@kubevirt-ts/api'
import { nodeAffinity, podInfoOf, snapshotOf } from '../index.ts'
import { ask, node, nowhere, pod } from '../testing/ask.ts'

const nodes = [node('n1', { labels: { disk: 'ssd', size: '5' } }), node('n2', { labels: { disk: 'hdd' } }), node('n3')]
const required = (...matchExpressions: object[]) =>
  pod('p', {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
      },
    },
  } as Partial<Pod['spec']>)
const fitting = (wanted: Pod) =>
  Object.entries(ask(nodeAffinity(), wanted, { nodes }) as Record<string, string>)
    .filter(([, word]) => word === 'ok')
    .map(([name]) => name)

test.each([
  [{ key: 'disk', operator: 'In', values: ['ssd'] }, ['n1']],
  [{ key: 'disk', operator: 'NotIn', values: ['ssd'] }, ['n2', 'n3']],
  [{ key: 'disk', operator: 'Exists' }, ['n1', 'n2']],
  [{ key: 'disk', operator: 'DoesNotExist' }, ['n3']],
  [{ key: 'size', operator: 'Gt', values: ['4'] }, ['n1']],
  [{ key: 'size', operator: 'Lt', values: ['5'] }, []],
  [{ key: 'disk', operator: 'Gt', values: ['1'] }, []],
])('%j fits %j', (requirement, names) => {
  expect(fitting(required(requirement))).toEqual(names)
})

test('a pod without wishes is not asked about', () => {
  expect(ask(nodeAffinity(), pod('p'), { nodes })).toBe('skip')
})

test('terms that all name nodes leave only those to look at', () => {
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: ['n2'] }]
  const nodeSelectorTerms = [{ matchFields }]
  const wanted = pod('p', {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  })

  expect(nodeAffinity().prepare(podInfoOf(wanted), snapshotOf({ nodes })).nodeNames).toEqual(new Set(['n2']))
})

test('an affinity of the scheduler itself is enforced beside the pod', () => {
  const rule = nodeAffinity({
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }],
    },
  })
  expect(ask(rule, pod('p'), { nodes })).toMatchObject({
    n1: 'ok',
    n3: `${nowhere}: node(s) didn't match scheduler-enforced node affinity`,
  })
})
