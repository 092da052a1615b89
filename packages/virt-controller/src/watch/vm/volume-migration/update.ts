import { vmiCondition, volumesChangeCancellation } from '@kubevirt-ts/api'
import type { StorageMigratedVolumeInfo, VirtualMachineInstance, Volume } from '@kubevirt-ts/api'
import { claimName } from '@kubevirt-ts/vmispec'
import { claimInfo } from '../../storage/claim-info.ts'
import type { Storage } from '../../storage/claim-state.ts'
import { movableVolumes } from './movable.ts'
import { obstacleTo } from './obstacle.ts'

/** What the VM's volumes ask of its running guest. */
export type VolumeUpdate =
  | { readonly kind: 'none' }
  /** Not possible while the guest runs. */
  | { readonly kind: 'restart'; readonly message: string }
  /** Not possible as long as that is so. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The guest's volumes are to be those, and what is in them moves along. */
  | { readonly kind: 'move'; readonly volumes: Volume[]; readonly migrated: StorageMigratedVolumeInfo[] }
  /** Whoever asked for it took it back: the move that is under way is to end. */
  | { readonly kind: 'cancel' }
  /** Nothing moves any more: the guest has the volumes that it had. */
  | { readonly kind: 'revert'; readonly volumes: Volume[] }

export interface VolumeView extends Pick<Storage, 'claim' | 'dataVolume' | 'storageClass'> {
  readonly vmi: VirtualMachineInstance
  /** Of the VM's template. */
  readonly volumes: readonly Volume[]
  /** The nodes move the guest at the moment. */
  readonly isMoving: boolean
}

const none: VolumeUpdate = { kind: 'none' }

/** Decides over volumes of which the template names other claims than the guest uses. */
export function volumeUpdate(view: VolumeView): VolumeUpdate {
  const migrated = view.vmi.status?.migratedVolumes ?? []
  return migrated.length === 0 ? fresh(view) : underWay(view, migrated)
}

function fresh(view: VolumeView): VolumeUpdate {
  const changed = movableVolumes(view.vmi.spec.volumes, view.volumes)
  if (changed.length === 0 || view.isMoving) return none
  const obstacle = obstacleTo(changed, view)
  if (obstacle !== undefined) return obstacle
  return {
    kind: 'move',
    volumes: replaced(view.vmi.spec.volumes ?? [], changed),
    migrated: changedClaims(changed, view),
  }
}

/** Claims cannot be exchanged for third ones while their content is on its way. */
const onlyBack =
  'the content of volumes is being moved to other claims: until that is done their claims in spec.template.spec.volumes can only be set back to those before'

function underWay(view: VolumeView, migrated: readonly StorageMigratedVolumeInfo[]): VolumeUpdate {
  const { vmi, volumes, isMoving } = view
  if (movableVolumes(vmi.spec.volumes, volumes).length === 0) return isCancelled(vmi) ? goOn(view, migrated) : none
  const isBack = migrated.every((each) => claimOf(volumes, each.volumeName) === each.sourcePVCInfo?.claimName)
  if (!isBack) return { kind: 'refused', message: onlyBack }
  if (isMoving || !isCancelled(vmi)) return { kind: 'cancel' }
  return { kind: 'revert', volumes: replaced(vmi.spec.volumes ?? [], volumesNamed(volumes, migrated)) }
}

/** Who takes a cancellation back asks for the move anew, once the one before has ended. */
function goOn({ vmi, isMoving }: VolumeView, migrated: readonly StorageMigratedVolumeInfo[]): VolumeUpdate {
  return isMoving ? none : { kind: 'move', volumes: [...(vmi.spec.volumes ?? [])], migrated: [...migrated] }
}

const isCancelled = ({ status }: VirtualMachineInstance): boolean =>
  status?.conditions?.some(
    ({ type, reason }) => type === vmiCondition.volumesChange && reason === volumesChangeCancellation,
  ) ?? false

const volumesNamed = (volumes: readonly Volume[], migrated: readonly StorageMigratedVolumeInfo[]): Volume[] =>
  volumes.filter(({ name }) => migrated.some(({ volumeName }) => volumeName === name))

export function claimOf(volumes: readonly Volume[], name: string): string | undefined {
  const volume = volumes.find((each) => each.name === name)
  return volume === undefined ? undefined : claimName(volume)
}

function replaced(before: readonly Volume[], changed: readonly Volume[]): Volume[] {
  return before.map((volume) => changed.find(({ name }) => name === volume.name) ?? volume)
}

function changedClaims(changed: readonly Volume[], { vmi, claim }: VolumeView): StorageMigratedVolumeInfo[] {
  const info = (name: string | undefined) => {
    const found = name === undefined ? undefined : claim(name)
    return name === undefined || found === undefined ? undefined : claimInfo(name, found)
  }
  return changed.map((volume) => {
    const source = info(claimOf(vmi.spec.volumes ?? [], volume.name))
    const destination = info(claimName(volume))
    return {
      volumeName: volume.name,
      ...(source === undefined ? {} : { sourcePVCInfo: source }),
      ...(destination === undefined ? {} : { destinationPVCInfo: destination }),
    }
  })
}
