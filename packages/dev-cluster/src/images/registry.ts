import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Cluster } from '../cluster.ts'
import { Failure } from '../failure.ts'
import { hostDaemonStep } from '../host-daemon.ts'
import type { Step } from '../steps.ts'

/** Host and port of a cluster's registry. It speaks plain HTTP and is reachable from this machine only. */
export const registryAddressOf = ({ addresses }: Pick<Cluster, 'addresses'>): string =>
  `${addresses.host}:${addresses.ports.registry}`

/** Starts the registry: Debian's `docker-registry`, on the bridge that the nodes hang on. */
export function registryStep(cluster: Cluster): Step {
  const config = join(cluster.state, 'registry.yml')
  const { host, ports } = cluster.addresses
  return hostDaemonStep(cluster, {
    name: 'registry',
    endpoints: [{ host, port: ports.registry }],
    async prepare() {
      await mkdir(join(cluster.state, 'registry'), { recursive: true })
      await writeFile(config, JSON.stringify(registryConfig(cluster)))
    },
    argv: () => ['docker-registry', 'serve', config],
    // Its exporter of traces would look for a collector.
    env: { OTEL_TRACES_EXPORTER: 'none' },
    ready: async () => (await send(cluster, 'GET', '/v2/').catch(() => undefined))?.status === 200,
  })
}

const registryConfig = (cluster: Cluster) => ({
  version: 0.1,
  log: { level: 'warn', accesslog: { disabled: true } },
  storage: { filesystem: { rootdirectory: join(cluster.state, 'registry') }, delete: { enabled: true } },
  http: { addr: registryAddressOf(cluster) },
})

/** Bytes of a layer, a config or a manifest: in memory, or in a file. */
export type Blob = {
  readonly digest: string
  readonly size: number
  readonly content: Buffer | { readonly file: string }
}

export const blobOf = (content: Buffer): Blob => ({
  digest: `sha256:${createHash('sha256').update(content).digest('hex')}`,
  size: content.length,
  content,
})

export async function fileBlob(file: string, digest?: string): Promise<Blob> {
  const { size } = await stat(file)
  return { digest: digest ?? (await digestOf(file)), size, content: { file } }
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return `sha256:${hash.digest('hex')}`
}

/** Uploads a blob unless the repository has it. */
export async function pushBlob(cluster: Cluster, repository: string, blob: Blob): Promise<void> {
  const known = await send(cluster, 'HEAD', `/v2/${repository}/blobs/${blob.digest}`)
  if (known.status === 200) return
  const begun = await expect(202, await send(cluster, 'POST', `/v2/${repository}/blobs/uploads/`))
  const place = new URL(begun.location ?? '', `http://${registryAddressOf(cluster)}`)
  place.searchParams.set('digest', blob.digest)
  await expect(201, await send(cluster, 'PUT', place.pathname + place.search, blob, 'application/octet-stream'))
}

/** Stores a manifest, whose blobs are there, under a tag. */
export async function pushManifest(
  cluster: Cluster,
  repository: string,
  tag: string,
  manifest: Blob,
  type: string,
): Promise<void> {
  await expect(201, await send(cluster, 'PUT', `/v2/${repository}/manifests/${tag}`, manifest, type))
}

/** Whether the registry has an image of this name. */
export async function hasImage(cluster: Cluster, repository: string, tag: string): Promise<boolean> {
  return (await send(cluster, 'HEAD', `/v2/${repository}/manifests/${tag}`)).status === 200
}

type Reply = {
  readonly status: number
  readonly location: string | undefined
  readonly body: string
  readonly asked: string
}

async function expect(status: number, reply: Reply): Promise<Reply> {
  if (reply.status === status) return reply
  throw new Failure('RegistryRefused', `the registry answers ${reply.status} to ${reply.asked}`, { output: reply.body })
}

const manifestTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ')

function send({ addresses }: Cluster, method: string, path: string, blob?: Blob, type?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: addresses.host,
        port: addresses.ports.registry,
        method,
        path,
        agent: false,
        headers: {
          accept: manifestTypes,
          'content-length': blob?.size ?? 0,
          ...(type ? { 'content-type': type } : {}),
        },
      },
      (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (text: string) => (body += text))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            location: response.headers.location,
            body,
            asked: `${method} ${path}`,
          }),
        )
      },
    )
    asked.on('error', reject)
    if (!blob) asked.end()
    else if (Buffer.isBuffer(blob.content)) asked.end(blob.content)
    else pipeline(createReadStream(blob.content.file), asked).catch(reject)
  })
}
