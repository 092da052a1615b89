import { expect, test } from '@jest/globals'
import { isSelected, selectorText } from './label-selector.ts'

test.each([
  [{ matchLabels: { app: 'web' } }, { app: 'web', tier: 'a' }, true],
  [{ matchLabels: { app: 'web' } }, { app: 'db' }, false],
  [{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }] }, { tier: 'b' }, true],
  [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['a'] }] }, {}, true],
  [{ matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, {}, false],
  [{ matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] }, {}, true],
  [{ matchExpressions: [{ key: 'tier', operator: 'Like', values: ['a'] }] }, { tier: 'a' }, false],
  [{}, { app: 'web' }, false],
  [undefined, { app: 'web' }, false],
])('selector %j and labels %j: %s', (selector, labels, selected) => {
  expect(isSelected(selector, labels as Record<string, string>)).toBe(selected)
})

test('a selector is told in the words of a query, sorted by key', () => {
  const selector = {
    matchLabels: { app: 'web' },
    matchExpressions: [
      { key: 'tier', operator: 'In', values: ['b', 'a'] },
      { key: 'old', operator: 'DoesNotExist' },
      { key: 'zone', operator: 'NotIn', values: ['x'] },
    ],
  }
  expect(selectorText(selector)).toBe('app=web,!old,tier in (a,b),zone notin (x)')
})
