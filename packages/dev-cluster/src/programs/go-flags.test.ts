import { describe, expect, it } from '@jest/globals'
import { compilerEnvironment } from './go-flags.ts'

const gibibyte = 1024 ** 3

describe('compilers that run at the same time', () => {
  it.each([
    [{ memory: 24 * gibibyte, processors: 2 }, 2048],
    [{ memory: 4 * gibibyte, processors: 2 }, 1024],
    [{ memory: 16 * gibibyte, processors: 16 }, 512],
  ])('leave half of the memory to others: %j', (machine, limit) => {
    expect(compilerEnvironment(machine)['GOMEMLIMIT']).toBe(`${limit}MiB`)
  })
})
