import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { deviceName, type DomainDisk, type DomainSpec } from '@kubevirt-ts/domain'
import { volumeNamed } from '@kubevirt-ts/vmispec'
import type { Hooks } from '../../hooks/index.ts'
import type { Paths } from '../converter/index.ts'
import { writeMetricsDisk } from '../downward-metrics/disk.ts'
import { metricsChannel } from '../downward-metrics/places.ts'
import { makeCloudInitDisk } from './cloud-init/image.ts'
import { makeConfigDisk } from './config-disk.ts'
import { createEmptyDisk } from './empty-disk.ts'
import { growImage } from './growth.ts'
import { writeIgnition } from './ignition.ts'
import { createOverlay } from './overlay.ts'

/** Makes the files behind the domain that only exist for this run of the guest. Can be repeated. */
export async function prepareDisks(
  vmi: VirtualMachineInstance,
  domain: DomainSpec,
  paths: Paths,
  hooks: Pick<Hooks, 'preCloudInitIso'>,
): Promise<void> {
  await writeIgnition(vmi, domain, paths)
  if (vmi.spec.domain.devices.downwardMetrics) await mkdir(dirname(metricsChannel(paths)), { recursive: true })
  for (const disk of domain.devices.disk ?? []) await prepare(vmi, disk, paths, hooks)
}

async function prepare(
  vmi: VirtualMachineInstance,
  disk: DomainDisk,
  paths: Paths,
  hooks: Pick<Hooks, 'preCloudInitIso'>,
): Promise<void> {
  const volume = volumeNamed(vmi.spec, deviceName(disk)!)
  const path = disk.source.$file
  if (!volume || path === undefined) return
  if (disk.backingStore) await createOverlay(disk)
  else if (volume.emptyDisk) await createEmptyDisk(volume.name, volume.emptyDisk.capacity, path)
  else if (volume.cloudInitNoCloud ?? volume.cloudInitConfigDrive)
    await makeCloudInitDisk(vmi, volume, { privateDir: paths.private, path, hooks })
  else if (volume.persistentVolumeClaim ?? volume.dataVolume) await growImage(vmi, disk)
  else if (volume.downwardMetrics) await writeMetricsDisk(path, '')
  else await makeConfigDisk(volume, paths.private, path)
}
