import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir, findGo, withLock } from '@kubevirt-ts/dev-cluster'
import { must } from './run.ts'

const version = 'v4.2.0'
const environment = { CGO_ENABLED: '0', GOTOOLCHAIN: 'local' }

/** Multus as its authors publish it, as a file; built once, outside of the checkout. */
export async function multusProgram(): Promise<string> {
  const folder = join(cacheDir(), 'programs', `multus-${version}`)
  const program = join(folder, 'multus')
  const lock = { file: `${folder}.lock`, purpose: 'building Multus', patience: 3_600_000 }
  await mkdir(folder, { recursive: true })
  await withLock(lock, async () => {
    if (!existsSync(program)) await build(join(folder, 'source'), program)
  })
  return program
}

async function build(source: string, program: string): Promise<void> {
  const go = await findGo(join(source, '..', 'go.log'))
  const module = `gopkg.in/k8snetworkplumbingwg/multus-cni.v4@${version}`
  const downloaded = await must(go, ['mod', 'download', '-json', module], { env: environment, timeoutMs: 600_000 })
  const { Dir } = JSON.parse(downloaded) as { Dir: string }
  // The module holds its dependencies without their sums; those of the module proxy have some.
  await rm(source, { recursive: true, force: true })
  await cp(Dir, source, { recursive: true, filter: (path) => path !== join(Dir, 'vendor') })
  await must('chmod', ['-R', 'u+w', source])
  await must('nice', [go, 'build', '-mod=mod', '-o', `${program}.partial`, './cmd/multus'], {
    cwd: source,
    env: environment,
    timeoutMs: 3_600_000,
  })
  await rename(`${program}.partial`, program)
  await rm(source, { recursive: true })
}
