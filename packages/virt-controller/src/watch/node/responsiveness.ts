import type { Node, Pod, VirtualMachineInstance } from '@kubevirt-ts/api'

export const heartbeatAnnotation = 'kubevirt.io/heartbeat'
export const schedulableLabel = 'kubevirt.io/schedulable'

/** A node agent writes its heartbeat each minute; one that misses this long is not trusted with guests. */
export const unresponsiveAfterMs = 5 * 60_000

/** Whether a node that once had an agent has lost it. A node that never had one is none of ours. */
export function isUnresponsive(node: Node, now: Date): boolean {
  const heartbeat = node.metadata.annotations?.[heartbeatAnnotation]
  if (heartbeat === undefined) return false
  return now.getTime() - Date.parse(heartbeat) > unresponsiveAfterMs
}

export function isSchedulable({ metadata }: Node): boolean {
  return metadata.labels?.[schedulableLabel] === 'true'
}

/**
 * Guests that are lost with a node: handed to it, and no launcher pod of theirs is alive. While the pod lives the
 * guest may live too, and a second one would corrupt its disks.
 */
export function lostGuests(
  vmis: readonly VirtualMachineInstance[],
  podsOf: (vmi: VirtualMachineInstance) => readonly Pod[],
): readonly VirtualMachineInstance[] {
  return vmis
    .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Scheduled')
    .filter((vmi) => {
      return !podsOf(vmi).some(isAlive)
    })
}

function isAlive({ status }: Pod): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false
  const compute = status?.containerStatuses?.find(({ name }) => name === 'compute')
  return compute?.state?.terminated === undefined
}
