/** A file or folder to put into an archive; a folder's path ends in a slash. */
export type TarEntry = { readonly path: string; readonly content?: Uint8Array; readonly mode?: number }

const block = 512

/**
 * A tar archive (POSIX ustar) of these entries, owned by root and without times, so equal content gives equal bytes.
 * Paths have at most 100 bytes.
 */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const content = entry.content ?? new Uint8Array()
    return [header(entry, content.length), content, Buffer.alloc((block - (content.length % block)) % block)]
  })
  return Buffer.concat([...parts, Buffer.alloc(2 * block)])
}

function header({ path, mode }: TarEntry, size: number): Buffer {
  const folder = path.endsWith('/')
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  const bytes = Buffer.alloc(block)
  bytes.write(path, 0, 100)
  bytes.write(octal(mode ?? 0o755, 7), 100)
  bytes.write(octal(0, 7), 108)
  bytes.write(octal(0, 7), 116)
  bytes.write(octal(size, 11), 124)
  bytes.write(octal(0, 11), 136)
  bytes.write('        ', 148)
  bytes.write(folder ? '5' : '0', 156)
  bytes.write('ustar\x0000', 257)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${octal(sum, 6)}\0 `, 148)
  return bytes
}
