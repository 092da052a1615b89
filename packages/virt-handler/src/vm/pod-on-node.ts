import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { existsSync } from 'node:fs'
import { emptyDirPath, hold, listenerOf } from '../host/isolation/pod-folder.ts'
import { type LauncherClients, launcherSocket } from '../launcher-clients/launcher-clients.ts'

/**
 * The pod of the VMI on this node. A guest that left and comes back has an ended pod here, too, whose folders the
 * kubelet removes in its time: it is passed over, but as long as that pod's guest is remembered nothing can take its
 * place. Undefined when no pod is ready to be used.
 */
export function podUidOn(
  node: string,
  { metadata, status }: VirtualMachineInstance,
  launchers: Pick<LauncherClients, 'podUid' | 'state'>,
  podsFolder: string,
): string | undefined {
  const { uid = '' } = metadata
  const known = launchers.podUid(uid)
  if (known !== undefined) return launchers.state(uid) === 'up' ? known : undefined
  const pods = Object.entries(status?.activePods ?? {})
    .filter(([, podNode]) => podNode === node)
    .map(([podUid]) => podUid)
    .filter((podUid) => mayServe(emptyDirPath(podsFolder, podUid, 'sockets')))
  return pods.length === 1 ? pods[0] : undefined
}

/** A launcher that has ended leaves a socket behind on which nobody listens; one that has not begun has none. */
function mayServe(folder: string): boolean {
  if (!existsSync(folder)) return false
  const socket = hold(folder, launcherSocket)
  try {
    return socket === undefined || listenerOf(socket) !== undefined
  } finally {
    socket?.close()
  }
}
