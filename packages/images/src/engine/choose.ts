import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tryCommand } from '@kubevirt-ts/dev-cluster'
import { imagesCache } from '../places.ts'
import { ensureTools } from '../tools.ts'
import { buildah } from './buildah.ts'
import { docker } from './docker.ts'
import type { Engine } from './engine.ts'

export type EngineName = 'buildah' | 'docker' | 'podman'

/** Whether a program answers, asked by running it. */
export type Answers = (argv: readonly string[]) => Promise<boolean>

const questions: readonly { readonly engine: EngineName; readonly argv: readonly string[] }[] = [
  { engine: 'buildah', argv: ['buildah', '--version'] },
  // The program alone is often there without the daemon that does the work.
  { engine: 'docker', argv: ['docker', 'info', '--format', '{{.ServerVersion}}'] },
  { engine: 'podman', argv: ['podman', '--version'] },
]

/** The first engine that answers; undefined where none does. */
export async function detectEngine(answers: Answers): Promise<EngineName | undefined> {
  for (const { engine, argv } of questions) {
    if (await answers(argv)) return engine
  }
  return undefined
}

const answers: Answers = async (argv) => (await tryCommand(argv, { timeout: 10_000 })).code === 0

/** The engine of this machine; where it has none, buildah is installed. */
export async function chooseEngine(): Promise<Engine> {
  const name = (await detectEngine(answers)) ?? 'buildah'
  if (name === 'docker') return docker('docker')
  if (name === 'buildah') await ensureTools('buildah')
  const storage = await ownStorage(name)
  if (name === 'buildah') return buildah(storage)
  return docker('podman', ['--storage-driver', storage.driver, '--root', storage.root, '--runroot', storage.run])
}

async function ownStorage(engine: 'buildah' | 'podman') {
  const driver = await storageDriver(engine)
  return { driver, ...storageFolders(driver) }
}

const storageFolders = (driver: string) => ({
  root: imagesCache('store', driver),
  run: imagesCache('store', `${driver}-run`),
})

/** overlay where the file system can be one's lower layer, else vfs, which copies everything. */
async function storageDriver(engine: 'buildah' | 'podman'): Promise<string> {
  const note = imagesCache('store', 'driver')
  const known = await readFile(note, 'utf8').catch(() => undefined)
  if (known) return known
  const { root, run } = storageFolders('overlay')
  const works = await answers([engine, '--storage-driver', 'overlay', '--root', root, '--runroot', run, 'info'])
  const driver = works ? 'overlay' : 'vfs'
  await mkdir(imagesCache('store'), { recursive: true })
  await writeFile(note, driver)
  return driver
}
