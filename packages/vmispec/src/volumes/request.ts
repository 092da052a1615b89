import type { Disk, VirtualMachineInstanceSpec, VirtualMachineVolumeRequest, Volume } from '@kubevirt-ts/api'

/** Volumes and disks of a spec after a request to add or remove one was done. */
export function withVolumeRequest(
  spec: VirtualMachineInstanceSpec,
  { addVolumeOptions: add, removeVolumeOptions: remove }: VirtualMachineVolumeRequest,
): { volumes: Volume[]; disks: Disk[] } {
  const volumes = spec.volumes ?? []
  const disks = spec.domain.devices.disks ?? []
  if (!add) {
    const others = ({ name }: { readonly name: string }) => name !== remove?.name
    return { volumes: volumes.filter(others), disks: disks.filter(others) }
  }
  // An empty CD-ROM drive of that name gets the volume put in.
  const hasDisk = disks.some(({ name }) => name === add.name)
  return {
    volumes: [...volumes, { name: add.name, ...add.volumeSource }],
    disks: hasDisk ? disks : [...disks, add.disk],
  }
}
