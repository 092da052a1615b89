import type { DomainDisk } from '@kubevirt-ts/domain'

export type DiskChanges = {
  readonly attach: readonly DomainDisk[]
  readonly detach: readonly DomainDisk[]
  /** CD-ROMs whose medium is another one, or none. */
  readonly update: readonly DomainDisk[]
}

/**
 * What makes the running domain's disks those that are wanted. Only hotplugged disks come and go: one that the guest
 * was started with stays until it ends, whatever the VMI says now.
 *
 * @param hotplugDisks folder of the volumes that can be plugged
 */
export function diskChanges(
  present: readonly DomainDisk[],
  wanted: readonly DomainDisk[],
  hotplugDisks: string,
): DiskChanges {
  const isPlugged = (disk: DomainDisk): boolean => sourceOf(disk)?.startsWith(`${hotplugDisks}/`) ?? false
  const found = (disks: readonly DomainDisk[], { alias }: DomainDisk) =>
    disks.find((each) => each.alias?.$name === alias?.$name)
  return {
    attach: wanted.filter((disk) => isPlugged(disk) && !found(present, disk)),
    detach: present.filter((disk) => disk.$device !== 'cdrom' && isPlugged(disk) && !found(wanted, disk)),
    update: wanted.filter((disk) => {
      const before = found(present, disk)
      return disk.$device === 'cdrom' && before !== undefined && mediumChanges(before, disk, isPlugged)
    }),
  }
}

/** The medium that a CD-ROM was started with cannot be looked up once its pod's files are gone, so only plugged ones change. */
function mediumChanges(before: DomainDisk, after: DomainDisk, isPlugged: (disk: DomainDisk) => boolean): boolean {
  return sourceOf(before) !== sourceOf(after) && (isPlugged(before) || isPlugged(after))
}

const sourceOf = ({ source }: DomainDisk): string | undefined => source?.$file || source?.$dev || undefined
