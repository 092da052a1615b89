import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { emptyDirPath, hold } from '../host/isolation/pod-folder.ts'

/** The guest's folders whose containers do not serve them yet: QEMU connects to their sockets once, when it starts. */
export function foldersNotServed({ spec }: VirtualMachineInstance, podsFolder: string, podUid: string): string[] {
  const sockets = emptyDirPath(podsFolder, podUid, 'virtiofs-containers')
  const names = (spec.domain.devices.filesystems ?? []).map(({ name }) => name)
  return names.filter((name) => {
    const socket = hold(sockets, `${name}.sock`)
    socket?.close()
    return socket === undefined
  })
}
