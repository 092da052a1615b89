import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Short hash over texts; two lists with the same texts in the same order have the same hash, and no others. */
export function hashOf(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest('hex').slice(0, 16)
}

/** Every file below a folder, or the file itself, by name. */
export function filesBelow(path: string, wanted: (file: string) => boolean = () => true): string[] {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules')
    .flatMap((entry) => {
      const file = join(path, entry.name)
      if (entry.isDirectory()) return filesBelow(file, wanted)
      return wanted(file) ? [file] : []
    })
    .toSorted()
}

/** Hash over names and contents of a file or of all files below a folder. */
export function hashOfFiles(path: string, wanted?: (file: string) => boolean): string {
  return hashOf(filesBelow(path, wanted).flatMap((file) => [relative(path, file), readFileSync(file)]))
}
