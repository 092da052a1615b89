import { existsSync } from 'node:fs'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { DomainSpec } from '@kubevirt-ts/domain'
import { isHotplugVolume } from '@kubevirt-ts/vmispec'
import type { Paths } from '../converter/index.ts'

/**
 * The VMI without the hotplugged volumes that virt-handler has not mounted into this pod yet, and without memory dumps,
 * which are no disks. A CD-ROM whose medium is not there yet is an empty drive.
 */
export function presentable(
  vmi: VirtualMachineInstance,
  { hotplugDisks }: Pick<Paths, 'hotplugDisks'>,
  exists: (path: string) => boolean = existsSync,
): VirtualMachineInstance {
  const absent = new Set(
    (vmi.spec.volumes ?? [])
      .filter((volume) => isHotplugVolume(volume) && !isMounted(hotplugDisks, volume.name, exists))
      .map(({ name }) => name),
  )
  if (absent.size === 0) return vmi
  const { devices } = vmi.spec.domain
  const disks = devices.disks?.filter(({ name, cdrom }) => cdrom !== undefined || !absent.has(name))
  return {
    ...vmi,
    spec: {
      ...vmi.spec,
      volumes: vmi.spec.volumes?.filter(({ name }) => !absent.has(name)),
      domain: { ...vmi.spec.domain, devices: { ...devices, disks } },
    },
  }
}

/** A filesystem volume is there as `NAME.img`, a block volume as the device `NAME`; a memory dump's is a folder. */
const isMounted = (folder: string, name: string, exists: (path: string) => boolean): boolean =>
  exists(`${folder}/${name}.img`) || exists(`${folder}/${name}`)

/** The VMI with the names that its disks have in the running domain: none of them gets another one. */
export function withTargets(vmi: VirtualMachineInstance, { devices }: DomainSpec): VirtualMachineInstance {
  const targets = new Map((devices.disk ?? []).map(({ alias, target }) => [alias?.$name, target.$dev] as const))
  const before = vmi.status?.volumeStatus ?? []
  const names = vmi.spec.domain.devices.disks?.map(({ name }) => name) ?? []
  const volumeStatus = names.flatMap((name) => {
    const known = before.find((each) => each.name === name)
    const target = targets.get(`ua-${name}`)
    return target === undefined ? [] : [{ ...known, name, target }]
  })
  const others = before.filter(({ name }) => !volumeStatus.some((each) => each.name === name))
  return { ...vmi, status: { ...vmi.status, volumeStatus: [...others, ...volumeStatus] } }
}
