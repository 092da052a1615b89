import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { existsSync } from 'node:fs'
import { emptyDirPath } from '../host/isolation/pod-folder.ts'
import type { LauncherClients } from '../launcher-clients/launcher-clients.ts'

/**
 * The pod of the VMI on this node. A guest that left and comes back has an ended pod here, too, whose folders the
 * kubelet removes in its time; as long as that pod's guest is remembered nothing can take its place. Undefined when no
 * pod is ready to be used.
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
    .filter((podUid) => existsSync(emptyDirPath(podsFolder, podUid, 'sockets')))
  return pods.length === 1 ? pods[0] : undefined
}
