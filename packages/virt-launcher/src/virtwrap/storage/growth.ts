import { open } from 'node:fs/promises'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { deviceName, type DomainDisk } from '@kubevirt-ts/domain'
import { movedVolumes } from '@kubevirt-ts/vmispec'
import { imageBytesOf } from './claim-size.ts'
import { runTool } from './run-tool.ts'

/**
 * To how many bytes a claim's disk has to grow; undefined when it is as large as its claim, or no claim's. A block
 * device's own size counts, an image grows with its claim.
 */
export async function growthOf(vmi: VirtualMachineInstance, disk: DomainDisk): Promise<bigint | undefined> {
  const name = deviceName(disk)
  const volume = vmi.spec.volumes?.find((each) => each.name === name)
  const path = disk.source?.$file
  if (!(volume?.persistentVolumeClaim ?? volume?.dataVolume) || !path || disk.readonly) return undefined
  // While the content moves to another claim both must be as large as it was.
  if (name !== undefined && movedVolumes(vmi).includes(name)) return undefined
  const claim = vmi.status?.volumeStatus?.find((each) => each.name === name)?.persistentVolumeClaimInfo
  const wanted = imageBytesOf(claim)
  if (wanted === undefined) return undefined
  const present = await sizeOf(path)
  return present !== undefined && wanted > present ? wanted : undefined
}

/** Lets an image grow to its claim's size before its guest starts. */
export async function growImage(vmi: VirtualMachineInstance, disk: DomainDisk): Promise<void> {
  const bytes = await growthOf(vmi, disk)
  if (bytes !== undefined) await runTool('qemu-img', ['resize', '-q', '-f', 'raw', disk.source.$file!, String(bytes)])
}

async function sizeOf(path: string): Promise<bigint | undefined> {
  const file = await open(path).catch(() => undefined)
  try {
    return file && BigInt((await file.stat()).size)
  } finally {
    await file?.close()
  }
}
