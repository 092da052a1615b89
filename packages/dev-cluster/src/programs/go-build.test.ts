import { describe, expect, it } from '@jest/globals'
import { isUsableGo } from './go-build.ts'

describe('a version of Go', () => {
  it.each([
    ['go1.24', true],
    ['go1.26.8\n', true],
    ['go2.0', true],
    ['go1.19.8', false],
    ['', false],
  ])('%j is usable: %s', (version, usable) => {
    expect(isUsableGo(version)).toBe(usable)
  })
})
