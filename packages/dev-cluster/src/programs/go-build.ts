import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { installPackages } from '../packages.ts'
import { cacheDir, packageDir } from '../paths.ts'
import { command, tryCommand } from '../process/command.ts'

// The compiler spends much of its time collecting garbage that a machine with memory can leave; the limit keeps it modest.
const eagerCompiler = { GOGC: '400', GOMEMLIMIT: '2GiB' }

/** A program of ours that links a real part of Kubernetes from its Go module. */
export type GoProgram = {
  /** Its folder in this package, and its file's name. */
  readonly name: 'kubernetes' | 'coredns' | 'metrics-server'
  readonly tags?: string
  /** Variables set at link time. */
  readonly variables?: Readonly<Record<string, string>>
}

const oldestGo: readonly [number, number] = [1, 24]

/** Folder of the built program; its name changes with every source that goes into it. */
export async function goProgramDir({ name }: GoProgram): Promise<string> {
  const hash = createHash('sha256')
  for (const file of ['go.mod', 'go.sum', 'main.go']) hash.update(await readFile(join(packageDir(name), file)))
  return join(cacheDir(), 'programs', `${name}-${hash.digest('hex').slice(0, 12)}`)
}

/**
 * Builds a program unless the cache holds it.
 * @returns the path of its file
 * @throws Failure when there is no usable Go, or the build fails
 */
export async function buildGoProgram(program: GoProgram, log: string): Promise<string> {
  const folder = await goProgramDir(program)
  const file = join(folder, program.name)
  if (existsSync(file)) return file
  await mkdir(folder, { recursive: true })
  const go = await findGo(log)
  const symbols = Object.entries(program.variables ?? {}).map(([name, value]) => `-X ${name}=${value}`)
  await command(
    [
      go,
      'build',
      '-trimpath',
      '-buildvcs=false',
      ...(program.tags ? ['-tags', program.tags] : []),
      '-ldflags',
      ['-s', '-w', ...symbols].join(' '),
      '-o',
      `${file}.partial`,
      '.',
    ],
    {
      cwd: packageDir(program.name),
      env: { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly', ...eagerCompiler },
      log,
      reason: 'BuildFailed',
      remedy: 'check that the Go module proxy is reachable (`go env GOPROXY`) and the disk is not full, then try again',
    },
  )
  await rename(`${file}.partial`, file)
  return file
}

const usualPlaces = [
  'go',
  '/usr/local/go/bin/go',
  '/usr/lib/go-1.26/bin/go',
  '/usr/lib/go-1.25/bin/go',
  '/usr/lib/go-1.24/bin/go',
]

async function findGo(log: string): Promise<string> {
  const found = await firstUsableGo()
  if (found) return found
  for (const name of ['golang-1.26-go', 'golang-1.25-go', 'golang-1.24-go']) {
    const known = await tryCommand(['apt-cache', 'show', name])
    if (known.code !== 0) continue
    await installPackages([name], log)
    const installed = await firstUsableGo()
    if (installed) return installed
  }
  throw new Failure('GoMissing', `building Kubernetes needs Go >= ${oldestGo.join('.')}, and there is none here`, {
    remedy: 'install Go from https://go.dev/dl, or use a cluster that you have: set KUBECONFIG',
  })
}

async function firstUsableGo(): Promise<string | undefined> {
  for (const go of usualPlaces) {
    const { code, stdout } = await tryCommand([go, 'env', 'GOVERSION'], { env: { GOTOOLCHAIN: 'local' } })
    if (code === 0 && isUsableGo(stdout)) return go
  }
  return undefined
}

/** Whether a version as Go names it (`go1.24.4`) is new enough. */
export function isUsableGo(version: string): boolean {
  const [, major = '0', minor = '0'] = /^go(\d+)\.(\d+)/.exec(version.trim()) ?? []
  return Number(major) > oldestGo[0] || (Number(major) === oldestGo[0] && Number(minor) >= oldestGo[1])
}
