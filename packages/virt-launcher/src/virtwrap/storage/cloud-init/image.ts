import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { VirtualMachineInstance, Volume } from '@kubevirt-ts/api'
import type { Hooks } from '../../../hooks/index.ts'
import { makeIso } from '../iso.ts'
import { contentOf, filesOf } from './content.ts'
import { readCloudInit } from './data.ts'

/** Makes the disk from which cloud-init in the guest reads what to do, as hook sidecars want it. */
export async function makeCloudInitDisk(
  vmi: VirtualMachineInstance,
  volume: Volume,
  { privateDir, path, hooks }: { privateDir: string; path: string; hooks: Pick<Hooks, 'preCloudInitIso'> },
): Promise<void> {
  const content = contentOf(vmi, volume, await readCloudInit(vmi, volume, privateDir))
  const files = filesOf(await hooks.preCloudInitIso(content, vmi))
  await mkdir(dirname(path), { recursive: true })
  const folder = await mkdtemp(`${path}.`)
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
    await makeIso(folder, volume.cloudInitNoCloud ? 'cidata' : 'config-2', path)
  } finally {
    await rm(folder, { recursive: true })
  }
}
