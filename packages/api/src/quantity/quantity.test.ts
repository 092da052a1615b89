import { describe, expect, test } from '@jest/globals'
import { canonicalQuantity, formatMilli, formatQuantity } from './format.ts'
import { compareQuantity, isQuantity, parseMilli, parseQuantity } from './parse.ts'

describe('quantities are read as Kubernetes reads them', () => {
  test.each([
    ['1Gi', 1073741824n],
    ['0.5Gi', 536870912n],
    ['1Ki', 1024n],
    ['1.5Ki', 1536n],
    ['1k', 1000n],
    ['1G', 1000000000n],
    ['1e3', 1000n],
    ['1E3', 1000n],
    ['12E', 2n ** 63n - 1n],
    ['2E', 2000000000000000000n],
    ['1.e2', 100n],
    ['.5M', 500000n],
    ['100m', 1n],
    ['1001m', 2n],
    ['-100m', -1n],
    ['-1Gi', -1073741824n],
    ['+5', 5n],
    ['0', 0n],
    ['1e-3', 1n],
    ['1n', 1n],
    [128, 128n],
    [0.5, 1n],
    [1e21, 2n ** 63n - 1n],
    ['16Ei', 2n ** 63n - 1n],
  ])('%s is %s whole units', (text, units) => {
    expect(parseQuantity(text)).toBe(units)
  })

  test.each([
    ['100m', 100n],
    ['1', 1000n],
    ['0.1', 100n],
    ['1500u', 2n],
    ['2.5', 2500n],
  ])('%s is %s thousandths', (text, thousandths) => {
    expect(parseMilli(text)).toBe(thousandths)
  })

  test.each(['', 'Gi', '1 Gi', '1gi', '1K', '1e', 'abc', '1.2.3', '--1', '0x10', '1e9999'])(
    '%j is refused with an error that shows it',
    (text) => {
      expect(() => parseQuantity(text)).toThrow(JSON.stringify(text))
      expect(isQuantity(text)).toBe(false)
    },
  )
})

describe('quantities are written in the canonical form', () => {
  test.each([
    [1073741824n, '1Gi'],
    [1536n, '1536'],
    [2048n, '2Ki'],
    [1000n, '1k'],
    [1024n, '1Ki'],
    [1025n, '1025'],
    [304087040n, '290Mi'],
    [4309802388n, '4309802388'],
    [0n, '0'],
    [-2097152n, '-2Mi'],
  ])('%s units are %s', (units, text) => {
    expect(formatQuantity(units)).toBe(text)
  })

  test.each([
    [100n, '100m'],
    [2000n, '2'],
    [1500n, '1500m'],
    [1000000n, '1k'],
  ])('%s thousandths are %s', (thousandths, text) => {
    expect(formatMilli(thousandths)).toBe(text)
  })

  test.each([
    ['0.5Gi', '512Mi'],
    ['1.3Ki', '1332'],
    ['0.0001Ki', '102400u'],
    ['1.5', '1500m'],
    ['1500000', '1500k'],
    ['1e3', '1e3'],
    ['10000e0', '10e3'],
    ['0.1', '100m'],
    ['1024', '1024'],
    ['12E', '12E'],
    ['8Ei', '9223372036854775807'],
  ])('%s becomes %s', (given, canonical) => {
    expect(canonicalQuantity(given)).toBe(canonical)
  })
})

describe('quantities are compared by amount', () => {
  test.each([
    ['1Gi', '1024Mi', 0],
    ['1G', '1Gi', -1],
    ['1', '999m', 1],
    ['-1', '0', -1],
    ['1e3', 1000, 0],
  ])('%s and %s', (a, b, order) => {
    expect(compareQuantity(a, b)).toBe(order)
  })
})
