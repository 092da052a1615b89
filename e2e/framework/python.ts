import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir, withLock } from '@kubevirt-ts/dev-cluster'
import { must } from './run.ts'
import { root } from './tools.ts'

const requirements = `${root}e2e/clients/requirements.txt`

/** The folder of programs of a Python environment with the clients that others wrote; made once, outside of the checkout. */
export async function pythonPrograms(): Promise<string> {
  const digest = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 12)
  const folder = join(cacheDir(), 'clients', digest)
  const done = join(folder, '.done')
  const lock = { file: `${folder}.lock`, purpose: 'installing Python clients', patience: 1_200_000 }
  await withLock(lock, async () => {
    if (existsSync(done)) return
    await rm(folder, { recursive: true, force: true })
    await must('python3', ['-m', 'venv', folder])
    const pip = ['install', '--quiet', '--no-compile', '--disable-pip-version-check', '-r', requirements]
    await must(join(folder, 'bin', 'pip'), pip, { timeoutMs: 1_200_000 })
    await writeFile(done, '')
  })
  return join(folder, 'bin')
}
