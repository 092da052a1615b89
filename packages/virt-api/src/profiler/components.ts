import { request } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { pods } from '@kubevirt-ts/api'
import type { Pod } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { CertificateSource } from '@kubevirt-ts/service'

/** What the profilers of the cluster are asked for. */
export type Verb = 'start' | 'stop' | 'dump'

export interface ComponentsOptions {
  readonly client: KubeClient
  /** Namespace that KubeVirt is installed in. */
  readonly namespace: string
  /** The authorities that the components' certificates are trusted by. */
  readonly certificate: CertificateSource
  /** Port of the components' endpoints. */
  readonly port?: number
}

export interface ProfilerAnswer {
  readonly pod: string
  /** 0 when the pod could not be asked. */
  readonly status: number
  readonly body: Buffer
}

/** Asks the profiler of each component's pod. */
export type AskComponents = (verb: Verb) => Promise<ProfilerAnswer[]>

const endpointsPort = 8443
const timeoutMs = 10_000
const componentPods = 'kubevirt.io in (virt-api,virt-controller,virt-handler)'

export function createComponents({ client, namespace, certificate, port }: ComponentsOptions): AskComponents {
  const where = port ?? endpointsPort
  return async (verb) => {
    const { items } = await client.list(pods, { namespace, labelSelector: componentPods })
    const running = items.filter(({ status, metadata }) => status?.podIP && !metadata.deletionTimestamp)
    return Promise.all(running.map((pod) => ask(pod, verb, where, certificate)))
  }
}

async function ask(
  { metadata, status }: Pod,
  verb: Verb,
  port: number,
  certificate: CertificateSource,
): Promise<ProfilerAnswer> {
  try {
    const answer = await read(status!.podIP!, port, `/${verb}-profiler`, certificate)
    return { pod: metadata.name, ...answer }
  } catch (error) {
    return { pod: metadata.name, status: 0, body: Buffer.from((error as Error).message) }
  }
}

async function read(host: string, port: number, path: string, source: CertificateSource) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  // Components are known by their authority; each has another name.
  const identity = { ...source.current(), servername: '', checkServerIdentity: () => undefined }
  const outgoing = request({ ...identity, host, port, path, agent: false, timeout: timeoutMs }, resolve)
  outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
  outgoing.once('error', reject)
  outgoing.end()
  const answer = await promise
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return { status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }
}
