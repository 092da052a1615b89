import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'

const shell = join(import.meta.dirname, '..', 'guests', 'kernel', 'bytes.sh')

it('a number put into a file is little endian, read back, and changes nothing around it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bytes-'))
  try {
    const file = join(folder, 'file')
    writeFileSync(file, Buffer.alloc(8, 0x2e))
    const script = `. ${shell}; put ${file} 0x2 4 ${0x12345678}; number ${file} 2 4`
    expect(Number(execFileSync('sh', ['-euc', script], { encoding: 'utf8' }))).toBe(0x12345678)
    expect(readFileSync(file).toString('hex')).toBe('2e2e785634122e2e')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
