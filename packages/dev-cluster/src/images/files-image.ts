import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path/posix'
import type { Cluster } from '../cluster.ts'
import { registryReference, splitReference } from './reference.ts'
import { blobOf, pushBlob, pushManifest } from './registry.ts'
import { tarOf } from './tar.ts'
import type { TarEntry } from './tar.ts'

/** An image of a few files, made without a container engine. */
export type FilesImage = {
  /** Its name as pods use it. */
  readonly name: string
  /** Path in the image -> file on this machine. */
  readonly files: Readonly<Record<string, string>>
  readonly entrypoint: readonly string[]
  /** `UID:GID`; root when it is left out. */
  readonly user?: string
}

/** Makes the image and stores it in the cluster's registry. */
export async function pushFilesImage(cluster: Cluster, image: FilesImage): Promise<void> {
  const layer = blobOf(tarOf(await entriesOf(image.files)))
  const config = blobOf(
    Buffer.from(
      JSON.stringify({
        architecture: 'amd64',
        os: 'linux',
        config: { Entrypoint: image.entrypoint, ...(image.user ? { User: image.user } : {}) },
        rootfs: { type: 'layers', diff_ids: [layer.digest] },
      }),
    ),
  )
  const describe = (mediaType: string, { digest, size }: { digest: string; size: number }) => ({
    mediaType,
    digest,
    size,
  })
  const type = 'application/vnd.oci.image.manifest.v1+json'
  const manifest = {
    schemaVersion: 2,
    mediaType: type,
    config: describe('application/vnd.oci.image.config.v1+json', config),
    // Not compressed: it goes over this machine's memory only.
    layers: [describe('application/vnd.oci.image.layer.v1.tar', layer)],
  }
  const { repository, tag } = splitReference(registryReference(image.name))
  for (const blob of [layer, config]) await pushBlob(cluster, repository, blob)
  await pushManifest(cluster, repository, tag, blobOf(Buffer.from(JSON.stringify(manifest))), type)
}

async function entriesOf(files: FilesImage['files']): Promise<TarEntry[]> {
  const folders = new Set(Object.keys(files).flatMap(foldersAbove))
  const entries: TarEntry[] = [{ path: 'tmp/', mode: 0o1777 }, ...[...folders].toSorted().map((path) => ({ path }))]
  for (const [path, file] of Object.entries(files)) {
    entries.push({ path: path.replace(/^\//, ''), content: await readFile(file) })
  }
  return entries
}

/** `/usr/bin/x` -> `usr/`, `usr/bin/` */
function foldersAbove(path: string): string[] {
  const folder = dirname(path.replace(/^\//, ''))
  return folder === '.' ? [] : [...foldersAbove(folder), `${folder}/`]
}
