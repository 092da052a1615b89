import type { DataVolume, PersistentVolumeClaim, StorageClass } from '@kubevirt-ts/api'
import { controllerOf } from '@kubevirt-ts/controller'

/**
 * Whether a guest can use a claim. `firstConsumer`: it is only made once a pod uses it. `unbound`: Kubernetes has no
 * volume for it yet. The others tell of the DataVolume that fills it: `importing`, `importFailed`, and
 * `importConsumer`, where it only begins once a pod uses the claim.
 */
export type ClaimState =
  | 'missing'
  | 'ready'
  | 'firstConsumer'
  | 'unbound'
  | 'lost'
  | 'importing'
  | 'importConsumer'
  | 'importFailed'

/** What claims are judged by; all of it in the namespace of the guest. */
export interface Storage {
  readonly claim: (name: string) => PersistentVolumeClaim | undefined
  /** Always undefined where the cluster has no DataVolumes. */
  readonly dataVolume: (name: string) => DataVolume | undefined
  readonly storageClass: (name: string) => StorageClass | undefined
}

export function claimState(name: string, storage: Storage): ClaimState {
  const claim = storage.claim(name)
  const filler = fillerOf(name, claim, storage)
  // A claim is bound long before it is full, so the word of the one that fills it counts.
  if (filler !== undefined) return importState(filler)
  return claim === undefined ? 'missing' : bindingState(claim, storage)
}

/** The DataVolume behind a claim, which may be there before the claim is. */
function fillerOf(
  name: string,
  claim: PersistentVolumeClaim | undefined,
  { dataVolume }: Storage,
): DataVolume | undefined {
  if (claim === undefined) return dataVolume(name)
  const owner = controllerOf(claim)
  return owner?.kind === 'DataVolume' ? dataVolume(owner.name) : undefined
}

export function importState({ status }: DataVolume): ClaimState {
  switch (status?.phase ?? '') {
    case 'Succeeded':
      return 'ready'
    case 'Failed':
      return 'importFailed'
    case 'WaitForFirstConsumer':
    case 'PendingPopulation':
      return 'importConsumer'
    default:
      return 'importing'
  }
}

function bindingState({ spec, status }: PersistentVolumeClaim, { storageClass }: Storage): ClaimState {
  if (status?.phase === 'Lost') return 'lost'
  if (status?.phase === 'Bound') return 'ready'
  const mode = storageClass(spec?.storageClassName ?? '')?.volumeBindingMode
  return mode === 'WaitForFirstConsumer' ? 'firstConsumer' : 'unbound'
}
