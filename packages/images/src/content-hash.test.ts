import { afterAll, describe, expect, it } from '@jest/globals'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashOf, hashOfFiles } from './content-hash.ts'

const folder = mkdtempSync(join(tmpdir(), 'content-hash-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('hashes of inputs', () => {
  it('tell where one text ends and the next begins', () => {
    expect(hashOf(['ab', 'c'])).not.toBe(hashOf(['a', 'bc']))
    expect(hashOf(['ab', 'c'])).toBe(hashOf(['ab', 'c']))
  })

  it('change with the content and with the name of a file, and not with what is not wanted', () => {
    mkdirSync(join(folder, 'src'))
    writeFileSync(join(folder, 'src', 'a.ts'), 'one')
    const before = hashOfFiles(folder)
    expect(hashOfFiles(folder)).toBe(before)

    writeFileSync(join(folder, 'src', 'a.test.ts'), 'test')
    expect(hashOfFiles(folder, (file) => !file.endsWith('.test.ts'))).toBe(before)
    expect(hashOfFiles(folder)).not.toBe(before)
    rmSync(join(folder, 'src', 'a.test.ts'))

    renameSync(join(folder, 'src', 'a.ts'), join(folder, 'src', 'b.ts'))
    expect(hashOfFiles(folder)).not.toBe(before)
  })
})
