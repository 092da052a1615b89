import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { networkCacheFile, networkCacheFolder, type NetworkCache } from '@kubevirt-ts/handler-launcher-com'

/** What virt-handler left for a card; undefined when the pod's side of it is not built. */
export async function readNetworkCache(privateDir: string, card: string): Promise<NetworkCache | undefined> {
  try {
    return JSON.parse(
      await readFile(join(privateDir, networkCacheFolder, networkCacheFile(card)), 'utf8'),
    ) as NetworkCache
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
