import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir, command, type Progress } from '@kubevirt-ts/dev-cluster'
import {
  buildGuests,
  buildImages,
  guestNames,
  imageNames,
  imageReference,
  productVersion,
  pushImages,
  saveImage,
} from '@kubevirt-ts/images'
import type { Target } from '../target.ts'

export const productTag = productVersion()

/** Builds what is missing of the product's images and of the demo's guest. */
export async function prepareImages(onProgress: Progress, signal?: AbortSignal): Promise<void> {
  const how = { onProgress, ...(signal ? { signal } : {}) }
  await buildImages(how)
  await buildGuests({ ...how, names: ['guest-tiny', 'guest-tiny-kernel'] })
}

const delivered = [...imageNames, ...guestNames.filter((name) => name.startsWith('guest-tiny'))]

/** Brings the images to where the cluster's nodes find them. Returns a text that changes when an image did. */
export async function deliverImages({ delivery }: Target, onProgress: Progress): Promise<string> {
  switch (delivery.by) {
    case 'local-registry':
      return (await pushImages({ names: delivered, cluster: delivery.cluster, onProgress })).join('\n')
    case 'registry':
      return (await pushImages({ names: delivered, registry: delivery.address, onProgress })).join('\n')
    case 'load':
      for (const name of delivered) await load(delivery.tool, delivery.name, imageReference(name, productTag))
      return ''
  }
}

/** The cluster tools' own commands for an archive; they cannot see an image that another engine built. */
const loadCommands = {
  kind: (cluster: string, archive: string) => ['kind', 'load', 'image-archive', archive, '--name', cluster],
  minikube: (cluster: string, archive: string) => ['minikube', 'image', 'load', archive, '--profile', cluster],
  k3d: (cluster: string, archive: string) => ['k3d', 'image', 'import', archive, '--cluster', cluster],
}

async function load(tool: keyof typeof loadCommands, cluster: string, image: string): Promise<void> {
  const archive = join(cacheDir(), 'archives', `${image.replaceAll(/[/:]/g, '-')}.tar`)
  await rm(archive, { force: true })
  await saveImage(image, archive)
  await command(loadCommands[tool](cluster, archive), {
    reason: 'ImageNotLoaded',
    remedy: 'push the images instead: npm run demo -- --registry HOST/PATH',
  })
  await rm(archive)
}
