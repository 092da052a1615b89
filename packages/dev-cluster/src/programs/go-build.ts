import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from '../failure.ts'
import { availableMemory } from '../machine.ts'
import { installPackages } from '../packages.ts'
import { cacheDir, packageDir } from '../paths.ts'
import { command, tryCommand } from '../process/command.ts'
import { compilerEnvironment, compilerFlags } from './go-flags.ts'
import { kubernetesVersion } from './versions.ts'

/** Programs of ours that link real parts of Kubernetes from their Go modules: folders of `go/`. */
export type GoProgram = 'kubernetes' | 'coredns' | 'metrics-server'

// What `kubectl version` shows, as the official releases set it.
const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(kubernetesVersion) ?? []
const variables = Object.entries({ gitVersion: kubernetesVersion, gitMajor: major, gitMinor: minor })
  .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
  .join(' ')

const oldestGo: readonly [number, number] = [1, 24]

/** A built program's file, there or not; the name of its folder changes with every source that goes into it. */
export async function goProgram(name: GoProgram): Promise<string> {
  const hash = createHash('sha256')
  for (const file of ['go.mod', 'go.sum', join(name, 'main.go')])
    hash.update(await readFile(join(packageDir('go'), file)))
  return join(cacheDir(), 'programs', `${name}-${hash.digest('hex').slice(0, 12)}`, name)
}

/**
 * Builds those programs that the cache does not hold, together: most of what they link is the same, and is compiled once.
 * @throws Failure when there is no usable Go, or the build fails
 */
export async function buildGoPrograms(names: readonly GoProgram[], log: string, signal?: AbortSignal): Promise<void> {
  const files = await Promise.all(names.map(async (name) => ({ name, file: await goProgram(name) })))
  const missing = files.filter(({ file }) => !existsSync(file))
  if (missing.length === 0) return
  const built = join(cacheDir(), 'programs', 'go.partial')
  await mkdir(built, { recursive: true })
  const machine = {
    memory: availableMemory(await readFile('/proc/meminfo', 'utf8')),
    processors: availableParallelism(),
  }
  const packages = missing.map(({ name }) => `./${name}`)
  await command(
    [
      await findGo(log),
      'build',
      ...compilerFlags(machine),
      `-ldflags=-s -w ${variables}`,
      '-o',
      `${built}/`,
      ...packages,
    ],
    {
      cwd: packageDir('go'),
      env: { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly', ...compilerEnvironment(machine) },
      log,
      ...(signal ? { signal } : {}),
      reason: 'BuildFailed',
      remedy: 'check that the Go module proxy is reachable (`go env GOPROXY`) and the disk is not full, then try again',
    },
  )
  for (const { name, file } of missing) {
    await mkdir(dirname(file), { recursive: true })
    await rename(join(built, name), file)
  }
  await rm(built, { recursive: true })
}

const usualPlaces = [
  'go',
  '/usr/local/go/bin/go',
  '/usr/lib/go-1.26/bin/go',
  '/usr/lib/go-1.25/bin/go',
  '/usr/lib/go-1.24/bin/go',
]

/** A Go that is new enough, installed where there is none. @throws Failure */
export async function findGo(log: string): Promise<string> {
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
