import { networkCacheFile, networkCacheFolder, type NetworkCache } from '@kubevirt-ts/handler-launcher-com'
import { openBeneath } from '@kubevirt-ts/linux'
import { closeSync, constants, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { VirtError } from '@kubevirt-ts/service'
import { holdFolder } from '../isolation/pod-folder.ts'
import { labelLike } from '../selinux/labels.ts'

/**
 * Tells the launcher what it has to know of a card.
 * @param privateFolder the launcher's private folder, as this process sees it; the guest's owner may write there
 */
export function writeNetworkCache(privateFolder: string, card: string, cache: NetworkCache): void {
  const file = networkCacheFile(card)
  using held = heldFolder(privateFolder)
  rmSync(`${held.path}/${file}`, { force: true })
  const fd = openBeneath(held.fd, file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644)
  try {
    labelLike(held.fd, fd)
    writeFileSync(fd, JSON.stringify(cache))
  } finally {
    closeSync(fd)
  }
}

function heldFolder(privateFolder: string): { path: string; fd: number } & Disposable {
  const outer = holdFolder(privateFolder)
  if (outer === undefined)
    throw new VirtError('PodFolderMissing', `${privateFolder} is not there; the pod is being removed`)
  try {
    mkdirSync(`${outer.path}/${networkCacheFolder}`, { mode: 0o755, recursive: true })
    const inner = holdFolder(outer.path, networkCacheFolder)
    if (inner === undefined) throw new VirtError('PodFolderMissing', `${networkCacheFolder} vanished from the pod`)
    return { path: inner.path, fd: inner.fd, [Symbol.dispose]: () => inner.close() }
  } finally {
    outer.close()
  }
}
