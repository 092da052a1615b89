import { describe, expect, it } from '@jest/globals'
import { saysReady } from './start.ts'

describe('a node', () => {
  const since = Date.parse('2026-01-01T00:00:10.700Z')
  const ready = (status: string, lastHeartbeatTime: string) => [{ type: 'Ready', status, lastHeartbeatTime }]

  it('is ready when its kubelet said so since the start', () => {
    expect(saysReady(ready('True', '2026-01-01T00:00:10Z'), since)).toBe(true)
  })

  it('is not when it says otherwise, nothing, or said it before the start', () => {
    expect(saysReady(ready('False', '2026-01-01T00:00:20Z'), since)).toBe(false)
    expect(saysReady(ready('True', '2026-01-01T00:00:09Z'), since)).toBe(false)
    expect(saysReady([], since)).toBe(false)
    expect(saysReady(ready('True', '2026-01-01T00:00:20Z'), Infinity)).toBe(false)
  })
})
