import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readImageHeader } from './image-header.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'image-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The head of a qcow2 file (version 3) of 1 GiB. */
function qcow2({ backing = 0n, incompatible = 0n } = {}): Buffer {
  const header = Buffer.alloc(512)
  header.write('QFI\xfb', 'latin1')
  header.writeUInt32BE(3, 4)
  header.writeBigUInt64BE(backing, 8)
  header.writeBigUInt64BE(1n << 30n, 24)
  header.writeBigUInt64BE(incompatible, 72)
  return header
}

function file(content: Buffer): string {
  const path = join(folder, 'image')
  writeFileSync(path, content)
  return path
}

test('a qcow2 tells its size', async () => {
  expect(await readImageHeader(file(qcow2()))).toEqual({ format: 'qcow2', virtualSize: 1n << 30n, actualSize: 512n })
})

test.each([
  ['anything else', Buffer.alloc(1024)],
  ['less than a header', Buffer.from('QFI\xfb', 'latin1')],
])('%s is raw', async (_, content) => {
  const size = BigInt(content.length)
  expect(await readImageHeader(file(content))).toEqual({ format: 'raw', virtualSize: size, actualSize: size })
})

test.each([
  ['as backing', { backing: 512n }],
  ['for its data', { incompatible: 4n }],
])('a qcow2 that names another file %s is refused', async (_, header) => {
  await expect(readImageHeader(file(qcow2(header)))).rejects.toMatchObject({ reason: 'ImageRefersToFile' })
})
