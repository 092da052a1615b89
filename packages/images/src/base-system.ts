import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { command } from '@kubevirt-ts/dev-cluster'
import type { Engine } from './engine/engine.ts'
import { imagesCache, packageFolder } from './places.ts'
import { ensureTools } from './tools.ts'

/** What every Containerfile with an operating system in it starts from. */
export const baseSystem = 'docker.io/library/debian:trixie-slim'

// A system that is thrown away when it fails need not wait for the disk, and an image needs no documentation.
const quickly = [
  '--dpkgopt=force-unsafe-io',
  '--aptopt=Acquire::Languages "none"',
  '--customize-hook=cd "$1/usr/share" && rm -rf doc man info locale',
]

/** Fetches the base system, or makes it from Debian's packages where no registry is reachable. Says which. */
export async function ensureBaseSystem(engine: Engine): Promise<string> {
  if ((await engine.references()).has(baseSystem)) return 'already here'
  if (await engine.pull(baseSystem)) return 'fetched'
  await ensureTools('mmdebstrap', 'archive keys')
  const context = imagesCache('context', 'debian')
  const log = imagesCache('logs', 'debian.log')
  await mkdir(context, { recursive: true })
  await mkdir(dirname(log), { recursive: true })
  const archive = join(context, 'debian.tar')
  await command(['mmdebstrap', ...quickly, '--variant=minbase', '--include=ca-certificates', 'trixie', archive], {
    log,
    reason: 'BaseSystemFailed',
    remedy: `neither a container registry nor Debian's packages could be read; see ${log}`,
  })
  const containerfile = join(packageFolder('images'), 'base', 'debian', 'Containerfile')
  await engine.build({ containerfile, context, reference: baseSystem, arguments: {}, log })
  await rm(archive)
  return 'made with mmdebstrap'
}
