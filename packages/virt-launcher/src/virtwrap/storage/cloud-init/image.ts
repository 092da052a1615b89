import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { VirtualMachineInstance, Volume } from '@kubevirt-ts/api'
import { makeIso } from '../iso.ts'
import { configDriveFiles } from './config-drive.ts'
import { readCloudInit } from './data.ts'
import { noCloudFiles } from './no-cloud.ts'

/** Makes the disk from which cloud-init in the guest reads what to do. */
export async function makeCloudInitDisk(
  vmi: VirtualMachineInstance,
  volume: Volume,
  { privateDir, path }: { privateDir: string; path: string },
): Promise<void> {
  const data = await readCloudInit(vmi, volume, privateDir)
  const files = volume.cloudInitNoCloud ? noCloudFiles(vmi, data) : configDriveFiles(vmi, data)
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
