import { readyReason } from '@kubevirt-ts/api'
import type { Condition, VirtualMachineInstance } from '@kubevirt-ts/api'

const words = { podReady: 'guest is not reported as running', podUnready: 'neither guest nor pod is ready' } as const

/**
 * Condition Ready of a VMI whose guest is not yet reported as running. Whether its pod is ready is told by the message,
 * so that the node agent knows who is missing besides its guest.
 */
export const guestNotRunning = (pod: 'podReady' | 'podUnready') =>
  ({ type: 'Ready', status: 'False', reason: readyReason.guestNotRunning, message: words[pod] }) as const

/** Whether a VMI is ready as soon as its guest is: whoever reports that it runs can say so with the same write. */
export function isOnlyGuestMissing({ status }: VirtualMachineInstance): boolean {
  const ready: Condition | undefined = status?.conditions?.find(({ type }) => type === 'Ready')
  return ready?.status === 'False' && ready.reason === readyReason.guestNotRunning && ready.message === words.podReady
}
