import { expect, test } from '@jest/globals'
import { bucketsOf, percentileOf } from './scrape.ts'

const metrics = `# HELP waits_seconds How long.
waits_seconds_bucket{le="0.01",name="vmi"} 90
waits_seconds_bucket{le="0.1",name="vmi"} 98
waits_seconds_bucket{le="1",name="vmi"} 100
waits_seconds_bucket{le="+Inf",name="vmi"} 100
waits_seconds_bucket{le="0.01",name="vm"} 1
`

test('a percentile of a histogram is the upper end of its bucket', () => {
  const buckets = bucketsOf(metrics, 'waits_seconds', ['name="vmi"'])
  expect(buckets).toHaveLength(4)
  expect(percentileOf(buckets, 0.5)).toBe(0.01)
  expect(percentileOf(buckets, 0.98)).toBe(0.1)
  expect(percentileOf(buckets, 0.99)).toBe(1)
  expect(percentileOf([], 0.99)).toBeNaN()
})
