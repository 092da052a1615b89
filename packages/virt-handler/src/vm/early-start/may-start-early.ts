import { label, type VirtualMachineInstance, type VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { hotplugVolumes, isSecondaryMultus } from '@kubevirt-ts/vmispec'

/**
 * Whether the guest of a VMI that is not handed over yet may be made in this pod of this node. That the pod is the VMI's
 * is virt-controller's word, which it writes together with the phase; a launcher's word counts for nothing.
 */
export function mayStartEarly(
  { metadata, spec, status }: VirtualMachineInstance,
  podUid: string,
  node: string,
): boolean {
  const isWaiting = status?.phase === 'Scheduling' && status.nodeName === undefined
  const isComing = status?.migrationState !== undefined || label.migrationTargetNodeName in (metadata.labels ?? {})
  const isLeft = metadata.deletionTimestamp === undefined
  return isWaiting && isLeft && !isComing && isOnlyPod(status.activePods, podUid, node) && !needsHandOver(spec)
}

/** The node's name is written with the hand-over; before it the pod's folder shows where the pod is. */
function isOnlyPod(pods: Readonly<Record<string, string>> = {}, podUid: string, node: string): boolean {
  const [first, ...others] = Object.entries(pods)
  return first?.[0] === podUid && (first[1] === '' || first[1] === node) && others.length === 0
}

/**
 * What the guest is made of depends on the hand-over: on a number or on the names of links that are written with it, or
 * on containers of the pod that QEMU reaches when it starts.
 */
function needsHandOver(spec: VirtualMachineInstanceSpec): boolean {
  const { devices, launchSecurity } = spec.domain
  return (
    devices.autoattachVSOCK === true ||
    launchSecurity !== undefined ||
    (devices.filesystems ?? []).length > 0 ||
    (devices.interfaces ?? []).some(({ binding }) => binding !== undefined) ||
    (spec.networks ?? []).some(isSecondaryMultus) ||
    hotplugVolumes(spec).length > 0
  )
}
