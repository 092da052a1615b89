import { compareQuantity, notLiveMigratableReason } from '@kubevirt-ts/api'
import type { Disk, PersistentVolumeClaim, VirtualMachineInstance, Volume } from '@kubevirt-ts/api'
import { claimName, diskNamed, isOnSharedClaim } from '@kubevirt-ts/vmispec'
import { claimState } from '../../storage/claim-state.ts'
import { isMovable } from './movable.ts'
import type { VolumeUpdate, VolumeView } from './update.ts'

type Obstacle = Extract<VolumeUpdate, { readonly kind: 'restart' | 'refused' }>

const restart = (message: string): Obstacle => ({ kind: 'restart', message })
const refused = (message: string): Obstacle => ({ kind: 'refused', message })

/** Why the content of these volumes cannot be moved under the running guest; undefined where it can. */
export function obstacleTo(changed: readonly Volume[], view: VolumeView): Obstacle | undefined {
  for (const rule of [ofDisk, ofClaims]) {
    for (const volume of changed) {
      const found = rule(volume, view)
      if (found !== undefined) return found
    }
  }
  return ofGuest(changed, view.vmi)
}

type Rule = (volume: Volume, view: VolumeView) => Obstacle | undefined

const kinds: readonly (readonly [is: (disk: Disk | undefined) => boolean, word: string])[] = [
  [(disk) => disk === undefined, 'no disk of the guest'],
  [(disk) => disk?.shareable === true, 'a disk that is shared with other guests'],
  [(disk) => disk?.lun !== undefined, 'a LUN'],
  [(disk) => disk?.cdrom !== undefined, 'a CD-ROM'],
]

/** Only a disk that the guest alone writes to can be copied while it does. */
const ofDisk: Rule = ({ name }, { vmi }) => {
  const disk = diskNamed(vmi.spec, name)
  const [kind] = kinds.flatMap(([is, word]) => (is(disk) ? [word] : []))
  return kind === undefined
    ? undefined
    : restart(`volume ${name} is ${kind}: its claim can only be changed by a restart`)
}

const ofClaims: Rule = (volume, view) => {
  const { vmi, claim } = view
  const name = claimName(volume) ?? ''
  const named = `PVC ${vmi.metadata.namespace}/${name}`
  const before = claim(claimName(vmi.spec.volumes?.find((each) => each.name === volume.name) ?? volume) ?? '')
  const after = claim(name)
  const state = claimState(name, view)
  if (after === undefined || (state !== 'ready' && state !== 'firstConsumer')) {
    return refused(`${named}, to which volume ${volume.name} is to be moved, is not ready: ${words[state] ?? state}`)
  }
  if (before === undefined) return refused(`the claim of volume ${volume.name}, which is to be moved, is not known`)
  if (modeOf(before) !== modeOf(after)) {
    return restart(
      `volume ${volume.name} is of mode ${modeOf(before)}, ${named} of mode ${modeOf(after)}: its content can only be moved to a claim of the same mode`,
    )
  }
  const [has, gets] = [sizeOf(before), sizeOf(after)]
  if (has !== undefined && gets !== undefined && compareQuantity(gets, has) < 0) {
    return restart(
      `${named} is smaller (${gets}) than the claim of volume ${volume.name} (${has}): choose one that is as large`,
    )
  }
  return undefined
}

const words: Readonly<Record<string, string>> = {
  missing: 'it does not exist',
  unbound: 'it is not bound to a volume yet',
  lost: 'it has lost its volume',
  importing: 'its DataVolume is being filled',
  importConsumer: 'its DataVolume waits for a first consumer; use a claim without one, or let it bind at once',
  importFailed: 'its DataVolume could not be filled',
}

const modeOf = ({ spec }: PersistentVolumeClaim): string => spec?.volumeMode ?? 'Filesystem'

const sizeOf = ({ spec, status }: PersistentVolumeClaim) =>
  status?.capacity?.['storage'] ?? spec?.resources?.requests?.['storage']

/** The guest must be able to move but for the volumes that go along. */
function ofGuest(changed: readonly Volume[], vmi: VirtualMachineInstance): Obstacle | undefined {
  const { spec, status } = vmi
  const condition = status?.conditions?.find(({ type }) => type === 'LiveMigratable')
  if (condition === undefined) return refused('whether the guest can be moved is not known yet')
  if (condition.status === 'True') return undefined
  const why = `volumes are moved with their guest, which cannot be moved: ${condition.message ?? condition.reason}`
  if (condition.reason !== notLiveMigratableReason.disks) return restart(why)
  const left = (spec.volumes ?? []).filter(
    (volume) => isMovable(volume) && !changed.some(({ name }) => name === volume.name),
  )
  const fixed = left.find(({ name }) => !isOnSharedClaim(vmi, name))
  const isHostDisk = (spec.volumes ?? []).some(({ hostDisk }) => hostDisk !== undefined && hostDisk.shared !== true)
  if (isHostDisk) return restart(why)
  return fixed === undefined
    ? undefined
    : restart(
        `volume ${fixed.name} can be used from one node only and is not moved along: move it to another claim too`,
      )
}
