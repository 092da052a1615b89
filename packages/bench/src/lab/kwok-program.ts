import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir, command, findGo } from '@kubevirt-ts/dev-cluster'

const module = join(import.meta.dirname, '..', '..', 'kwok')

/**
 * Builds KWOK's controller from its Go module unless the cache holds it: three minutes of CPU the first time. A module of
 * its own, since no cluster of a user needs it.
 * @returns the program's path
 */
export async function kwokProgram(log: string): Promise<string> {
  const hash = createHash('sha256')
  for (const file of ['go.mod', 'go.sum', 'main.go']) hash.update(await readFile(join(module, file)))
  const folder = join(cacheDir(), 'programs', `kwok-${hash.digest('hex').slice(0, 12)}`)
  const file = join(folder, 'kwok')
  if (existsSync(file)) return file
  await mkdir(folder, { recursive: true })
  // A file of its own, since another bench may be building at the same time.
  const partial = `${file}.${process.pid}.partial`
  await command([await findGo(log), 'build', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', partial, '.'], {
    cwd: module,
    env: { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' },
    log,
    reason: 'BuildFailed',
    remedy: 'check that the Go module proxy is reachable (`go env GOPROXY`), then try again',
  })
  await rename(partial, file)
  return file
}
