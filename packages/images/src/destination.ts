import { registryAddress, registryReference } from '@kubevirt-ts/dev-cluster'

/** Where images are pushed: a local cluster's registry, or any registry, with what stands before each image's name. */
export type Destination = { readonly cluster: string } | { readonly registry: string }

/** One image's place in a registry. */
export type Place = {
  /** `HOST:PORT/PATH:TAG` */
  readonly reference: string
  /** The registry speaks HTTP. */
  readonly plain: boolean
}

/** Where an image lies so that pods of the destination can use it as `image`. @throws Failure for an unknown cluster */
export async function placeOf(destination: Destination, image: string): Promise<Place> {
  if ('registry' in destination) return placeUnder(destination.registry, image)
  return { reference: `${await registryAddress(destination.cluster)}/${registryReference(image)}`, plain: true }
}

/**
 * `localhost/kubevirt-ts/virt-api:1` under `registry.example/team` is `registry.example/team/virt-api:1`.
 * A registry of this machine, and one written `http://HOST/PATH`, is spoken to in plain HTTP.
 */
export function placeUnder(registry: string, image: string): Place {
  const address = registryPath(registry)
  const host = address.split('/', 1)[0] ?? ''
  const plain = registry.startsWith('http://') || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host)
  return { reference: `${address}/${image.slice(image.lastIndexOf('/') + 1)}`, plain }
}

/** HOST/PATH of a registry as a user wrote it, with or without a scheme. */
export const registryPath = (registry: string): string => registry.replace(/^https?:\/\//, '').replace(/\/+$/, '')
