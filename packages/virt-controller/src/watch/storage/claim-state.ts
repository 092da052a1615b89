import type { DataVolume, PersistentVolumeClaim, StorageClass } from '@kubevirt-ts/api'
import { controllerOf } from '@kubevirt-ts/controller'

/**
 * Whether a guest can use a claim. `firstConsumer`: it is only made once a pod uses it. `unbound`: Kubernetes has no
 * volume for it yet. `importing` and `failed` tell of its DataVolume.
 */
export type ClaimState = 'missing' | 'ready' | 'firstConsumer' | 'unbound' | 'lost' | 'importing' | 'failed'

/** What claims are judged by; all of it in the namespace of the guest. */
export interface Storage {
  readonly claim: (name: string) => PersistentVolumeClaim | undefined
  /** Always undefined where the cluster has no DataVolumes. */
  readonly dataVolume: (name: string) => DataVolume | undefined
  readonly storageClass: (name: string) => StorageClass | undefined
}

export function claimState(name: string, storage: Storage): ClaimState {
  const claim = storage.claim(name)
  if (claim === undefined) return 'missing'
  return importState(claim, storage) ?? bindingState(claim, storage)
}

const waitingForConsumer: ReadonlySet<string> = new Set(['WaitForFirstConsumer', 'PendingPopulation'])

/** While a DataVolume fills the claim its word counts, since a claim is bound long before it is full. */
function importState(claim: PersistentVolumeClaim, { dataVolume }: Storage): ClaimState | undefined {
  const owner = controllerOf(claim)
  const filled = owner?.kind === 'DataVolume' ? dataVolume(owner.name) : undefined
  if (filled === undefined) return undefined
  const phase = filled.status?.phase ?? ''
  if (phase === 'Succeeded') return 'ready'
  if (phase === 'Failed') return 'failed'
  return waitingForConsumer.has(phase) ? 'firstConsumer' : 'importing'
}

function bindingState({ spec, status }: PersistentVolumeClaim, { storageClass }: Storage): ClaimState {
  if (status?.phase === 'Lost') return 'lost'
  if (status?.phase === 'Bound') return 'ready'
  const mode = storageClass(spec?.storageClassName ?? '')?.volumeBindingMode
  return mode === 'WaitForFirstConsumer' ? 'firstConsumer' : 'unbound'
}
