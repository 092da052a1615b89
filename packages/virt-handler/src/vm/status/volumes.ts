import type { VirtualMachineInstance, VolumeStatus } from '@kubevirt-ts/api'
import type { Domain } from '@kubevirt-ts/domain'

/** The VMI's volumes with the disks they became in the guest, by name. */
export function volumeStatuses({ status }: VirtualMachineInstance, { spec }: Domain): VolumeStatus[] {
  const before = status?.volumeStatus ?? []
  const disks = (spec.devices?.disk ?? []).flatMap(({ alias, target }) =>
    alias === undefined ? [] : [{ name: alias.$name.replace(/^ua-/, ''), target: target.$dev }],
  )
  const known = before.map((each) => ({
    ...each,
    target: disks.find(({ name }) => name === each.name)?.target ?? each.target,
  }))
  const fresh = disks.filter(({ name }) => !before.some((each) => each.name === name))
  return [...known, ...fresh].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
