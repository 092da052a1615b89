import { expect, test } from '@jest/globals'
import { causesOf } from '../../../../test/vmi-causes.ts'

test('a pod affinity names a topology and has a weight', () => {
  const podAffinity = {
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, podAffinityTerm: { topologyKey: '' } }],
  }
  const path = 'spec.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]'
  expect(causesOf({ affinity: { podAffinity } })).toEqual([
    `FieldValueInvalid ${path}.weight`,
    `FieldValueInvalid ${path}.podAffinityTerm.topologyKey`,
  ])
})

test('operators of node terms take the values that they need', () => {
  const nodeSelectorTerms = [
    {
      matchExpressions: [
        { key: 'a b', operator: 'In', values: ['x'] },
        { key: 'a', operator: 'Exists', values: ['x'] },
      ],
    },
    { matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['x'] }] },
  ]
  const path = 'spec.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms'
  expect(
    causesOf({
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
    }),
  ).toEqual([
    `FieldValueInvalid ${path}[0].matchExpressions[0].key`,
    `FieldValueInvalid ${path}[0].matchExpressions[1].values`,
    `FieldValueInvalid ${path}[1].matchFields[0].key`,
  ])
})

test('well-formed affinity and spreading are admitted', () => {
  const labelSelector = { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'a/b', operator: 'Exists' }] }
  const term = { labelSelector, topologyKey: 'kubernetes.io/hostname' }
  expect(
    causesOf({
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
    }),
  ).toEqual([])
})

test('a constraint of spreading is given once', () => {
  const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }
  expect(causesOf({ topologySpreadConstraints: [constraint, { ...constraint, maxSkew: 0 }] })).toEqual([
    'FieldValueInvalid spec.topologySpreadConstraints[1].maxSkew',
    'FieldValueInvalid spec.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}',
  ])
})
