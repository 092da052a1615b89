import { expect, test } from '@jest/globals'
import { isConditionTrue, removeCondition, setCondition, type ConditionShape } from './conditions.ts'

const now = new Date('2026-01-31T12:00:00.123Z')
const ready: ConditionShape = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }

test('a new condition gets the time without a fraction', () => {
  expect(setCondition([], { type: 'Ready', status: 'True' }, now)).toEqual([
    { type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-01-31T12:00:00Z' },
  ])
})

test('the transition time only moves with the status', () => {
  const reworded = setCondition([ready], { type: 'Ready', status: 'True', reason: 'Really' }, now)
  const turned = setCondition([ready], { type: 'Ready', status: 'False' }, now)

  expect(reworded[0]).toMatchObject({ reason: 'Really', lastTransitionTime: '2026-01-01T00:00:00Z' })
  expect(turned[0]).toMatchObject({ lastTransitionTime: '2026-01-31T12:00:00Z' })
})

test('what changes nothing gives the same array', () => {
  const conditions = [ready]
  expect(setCondition(conditions, { type: 'Ready', status: 'True' }, now)).toBe(conditions)
  expect(removeCondition(conditions, 'Paused')).toBe(conditions)
  expect(removeCondition(conditions, 'Ready')).toEqual([])
  expect(isConditionTrue(conditions, 'Ready')).toBe(true)
})
