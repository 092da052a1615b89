import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cluster } from '../cluster.ts'
import { Failure } from '../failure.ts'
import { command, tryCommand } from '../process/command.ts'
import { registryReference, splitReference } from './reference.ts'
import { blobOf, fileBlob, pushBlob, pushManifest, registryAddressOf } from './registry.ts'

/**
 * Makes an image available to a cluster: the name of one that buildah, podman or docker has here, or the path of
 * an archive (`docker save`, or an OCI layout as tar).
 * @returns the names under which pods can use it
 * @throws Failure
 */
export async function loadInto(cluster: Cluster, image: string): Promise<string[]> {
  if (existsSync(image)) return loadArchive(cluster, image)
  if (await hasLocally(['buildah', 'inspect', '--type', 'image', image])) return push(cluster, 'buildah', image)
  if (await hasLocally(['podman', 'image', 'exists', image])) return push(cluster, 'podman', image)
  if (await hasLocally(['docker', 'image', 'inspect', image])) return saveAndLoad(cluster, image)
  throw new Failure('ImageMissing', `there is no file, and no image of buildah, podman or docker, called ${image}`, {
    remedy: 'build the image first, or give the path of an archive made by `docker save` or `buildah push`',
  })
}

const hasLocally = async (question: readonly string[]): Promise<boolean> => (await tryCommand(question)).code === 0

async function push(cluster: Cluster, engine: string, image: string): Promise<string[]> {
  const target = `docker://${registryAddressOf(cluster)}/${registryReference(image)}`
  await command([engine, 'push', '--tls-verify=false', image, target], { reason: 'PushFailed' })
  return [image]
}

// Docker's daemon pushes by plain HTTP to 127.0.0.1 only, so the image takes the way over a file.
async function saveAndLoad(cluster: Cluster, image: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'kubevirt-ts-save-'))
  try {
    const file = join(folder, 'image.tar')
    await command(['docker', 'save', '-o', file, image], { reason: 'PushFailed' })
    return await loadArchive(cluster, file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function loadArchive(cluster: Cluster, file: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'kubevirt-ts-image-'))
  try {
    await command(['tar', '-xf', file, '-C', folder, '--no-same-owner'], { reason: 'ImageUnreadable' })
    if (existsSync(join(folder, 'manifest.json'))) return await loadDockerArchive(cluster, folder)
    if (existsSync(join(folder, 'index.json'))) return await loadOciLayout(cluster, folder)
    throw new Failure('ImageUnreadable', `${file} holds neither a docker archive nor an OCI layout`, {
      remedy: 'make it with `docker save` or `buildah push IMAGE docker-archive:FILE:IMAGE`',
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type DockerEntry = {
  readonly Config: string
  readonly RepoTags: readonly string[] | null
  readonly Layers: readonly string[]
}

async function loadDockerArchive(cluster: Cluster, folder: string): Promise<string[]> {
  const entries = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as DockerEntry[]
  const names: string[] = []
  for (const entry of entries) {
    const config = blobOf(await readFile(join(folder, entry.Config)))
    const layers = await Promise.all(entry.Layers.map((layer) => fileBlob(join(folder, layer))))
    const describe = (mediaType: string, { digest, size }: { digest: string; size: number }) => ({
      mediaType,
      digest,
      size,
    })
    const type = 'application/vnd.docker.distribution.manifest.v2+json'
    const manifest = {
      schemaVersion: 2,
      mediaType: type,
      config: describe('application/vnd.docker.container.image.v1+json', config),
      layers: layers.map((layer) => describe('application/vnd.docker.image.rootfs.diff.tar', layer)),
    }
    for (const name of entry.RepoTags ?? []) {
      const { repository, tag } = splitReference(registryReference(name))
      for (const blob of [...layers, config]) await pushBlob(cluster, repository, blob)
      await pushManifest(cluster, repository, tag, blobOf(Buffer.from(JSON.stringify(manifest))), type)
      names.push(name)
    }
  }
  return named(names)
}

type Descriptor = {
  readonly mediaType: string
  readonly digest: string
  readonly annotations?: Readonly<Record<string, string>>
}
type Manifest = { readonly config?: Descriptor; readonly layers?: readonly Descriptor[] }

const nameAnnotations = ['io.containerd.image.name', 'org.opencontainers.image.ref.name']

async function loadOciLayout(cluster: Cluster, folder: string): Promise<string[]> {
  const blobFile = ({ digest }: Descriptor) => join(folder, 'blobs', ...digest.split(':'))
  const index = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8')) as { manifests: Descriptor[] }
  const names: string[] = []
  for (const entry of index.manifests) {
    const name = nameAnnotations.map((key) => entry.annotations?.[key]).find((value) => value?.includes('/'))
    if (!name) continue
    const { repository, tag } = splitReference(registryReference(name))
    const content = await readFile(blobFile(entry))
    const manifest = JSON.parse(content.toString()) as Manifest
    for (const part of [...(manifest.layers ?? []), manifest.config].filter((blob) => blob !== undefined)) {
      await pushBlob(cluster, repository, await fileBlob(blobFile(part), part.digest))
    }
    await pushManifest(cluster, repository, tag, blobOf(content), entry.mediaType)
    names.push(name)
  }
  return named(names)
}

function named(names: string[]): string[] {
  if (names.length > 0) return names
  throw new Failure('ImageUnreadable', 'the archive does not say what its image is called', {
    remedy: 'save it with a name: `docker save NAME`, `buildah push IMAGE docker-archive:FILE:NAME`',
  })
}
