import { command, type Progress } from '@kubevirt-ts/dev-cluster'
import {
  buildGuests,
  buildImages,
  guestNames,
  imageNames,
  imageReference,
  productVersion,
  pushImages,
} from '@kubevirt-ts/images'
import type { Target } from '../target.ts'

export const productTag = productVersion()

/** Builds what is missing of the product's images and of the demo's guest. */
export async function prepareImages(onProgress: Progress): Promise<void> {
  await buildImages({ onProgress })
  await buildGuests({ names: ['guest-tiny', 'guest-tiny-kernel'], onProgress })
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

/** The cluster tools' own commands for an image that the local engine has. */
const loadCommands = {
  kind: (cluster: string, image: string) => ['kind', 'load', 'docker-image', image, '--name', cluster],
  minikube: (_cluster: string, image: string) => ['minikube', 'image', 'load', image],
  k3d: (cluster: string, image: string) => ['k3d', 'image', 'import', image, '--cluster', cluster],
}

const load = (tool: keyof typeof loadCommands, cluster: string, image: string): Promise<string> =>
  command(loadCommands[tool](cluster, image), {
    reason: 'ImageNotLoaded',
    remedy: 'push the images instead: npm run demo -- --registry HOST/PATH',
  })
