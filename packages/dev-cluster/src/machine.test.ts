import { describe, expect, it } from '@jest/globals'
import { availableMemory, checkMachine } from './machine.ts'

const gibibyte = 1024 ** 3
const good = { platform: 'linux-x64', root: true, memory: 8 * gibibyte, disks: { '/var/lib': 20 * gibibyte } }

describe('a machine', () => {
  it('that has everything is accepted', () => {
    expect(() => checkMachine(good)).not.toThrow()
  })

  it.each([
    ['UnsupportedPlatform', { platform: 'darwin-arm64' }],
    ['RootNeeded', { root: false }],
    ['NotEnoughMemory', { memory: 3 * gibibyte }],
    ['NotEnoughDisk', { disks: { '/var/lib': 20 * gibibyte, '/root/.cache': gibibyte } }],
  ])('is refused with %s and a remedy', (reason, change) => {
    expect(() => checkMachine({ ...good, ...change })).toThrow(
      expect.objectContaining({ reason, details: expect.objectContaining({ remedy: expect.any(String) }) }),
    )
  })

  it('has the memory that the kernel calls available', () => {
    expect(availableMemory('MemTotal: 100 kB\nMemAvailable:   42 kB\n')).toBe(42 * 1024)
  })
})
