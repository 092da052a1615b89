import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import {
  claimNameOf,
  podInfoOf,
  volumeBinding,
  volumesOf,
  type Snapshot,
  type VolumeBindingState,
} from '@kubevirt-ts/scheduling'

/** What the first node of a VM must reach. */
export interface Reach {
  /** Claims of the VM that its pod does not mount. */
  readonly further: readonly string[]
  /** All claims, to be planned for one node at once. */
  readonly claims: VolumeBindingState
}

/**
 * Volumes that are plugged in while the guest runs are not in its pod, so no other rule sees their claims; but where a VM
 * starts first, it stays. Undefined when there are none. Claims that nobody could use yet are left out: they may come late.
 */
export function reachOf(pod: Pod, instance: VirtualMachineInstance, snapshot: Snapshot): Reach | undefined {
  const own = volumesOf(pod)
    .map((volume) => claimNameOf(pod, volume))
    .filter((name) => name !== undefined)
  const stateOf = (names: readonly string[]) => volumeBinding.prepare(podInfoOf(podWith(pod, names)), snapshot).state
  const further = claimsOf(instance).filter((name) => !own.includes(name) && stateOf([name]) !== undefined)
  if (further.length === 0) return undefined
  const claims = stateOf([...own, ...further])
  return claims === undefined ? undefined : { further, claims }
}

/** A data volume's claim has its name. */
function claimsOf({ spec }: VirtualMachineInstance): string[] {
  return (spec?.volumes ?? [])
    .map(({ persistentVolumeClaim, dataVolume }) => persistentVolumeClaim?.claimName ?? dataVolume?.name)
    .filter((name) => name !== undefined)
}

function podWith({ metadata: { name, namespace } }: Pod, claims: readonly string[]): Pod {
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }))
  return { metadata: { name, ...(namespace === undefined ? {} : { namespace }) }, spec: { containers: [], volumes } }
}
