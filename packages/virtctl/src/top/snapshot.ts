import { label, parseMilli, parseQuantity, pods, virtualMachineInstances } from '@kubevirt-ts/api'
import type { ObjectMeta, Pod, Quantity, VirtualMachineInstance } from '@kubevirt-ts/api'
import { fetchKubeVirt } from '../client/kubevirt.ts'
import { answerOf } from '../client/subresource.ts'
import { told } from '../client/told.ts'
import type { Cluster } from '../command.ts'
import { readExposition } from './exposition.ts'
import type { Sample } from './exposition.ts'
import type { Snapshot, Usage } from './usage.ts'

export interface Wanted {
  /** Undefined: all. */
  readonly namespace: string | undefined
  /** Undefined: all. */
  readonly name: string | undefined
}

/** Asks for what the guests use: from the metrics API, and from the virt-handlers of their nodes. */
export async function takeSnapshot(cluster: Cluster, wanted: Wanted): Promise<Snapshot> {
  const guests = await runningGuests(cluster, wanted)
  const nodesOfGuests = [...new Set(guests.flatMap(({ status }) => status?.nodeName ?? []))]
  const missing: string[] = []
  const tried = async <T>(what: string, answer: Promise<T>, nothing: T): Promise<T> =>
    answer.catch((error: Error) => {
      missing.push(`${what}: ${told(error)}`)
      return nothing
    })
  const [fromPods, fromNodes] = await Promise.all([
    tried('CPU and memory of pods from the metrics API', podUsage(cluster, wanted.namespace), new Map()),
    tried('disk and network from virt-handler', nodeUsage(cluster, nodesOfGuests), new Map()),
  ])
  return {
    at: Date.now(),
    missing,
    guests: guests.map(({ metadata, status }) => ({
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      ...(status?.nodeName && { node: status.nodeName }),
      ...fromPods.get(metadata.uid ?? ''),
      ...fromNodes.get(`${metadata.namespace}/${metadata.name}`),
    })),
  }
}

async function runningGuests({ client }: Cluster, { namespace, name }: Wanted): Promise<VirtualMachineInstance[]> {
  if (name !== undefined) return [await client.get(virtualMachineInstances, { namespace: namespace ?? '', name })]
  const { items } = await client.list(virtualMachineInstances, namespace === undefined ? {} : { namespace })
  return items.filter(({ status }) => status?.phase === 'Running')
}

interface PodMetrics {
  readonly metadata: ObjectMeta
  readonly containers?: readonly { readonly usage: { readonly cpu?: Quantity; readonly memory?: Quantity } }[]
}

/** By UID of the guest, which the labels of its pod name. */
async function podUsage({ client }: Cluster, namespace: string | undefined): Promise<Map<string, Partial<Usage>>> {
  const where = namespace === undefined ? '' : `/namespaces/${namespace}`
  const path = `/apis/metrics.k8s.io/v1beta1${where}/pods`
  const query = { labelSelector: `${label.app}=virt-launcher` }
  const { items } = JSON.parse(answerOf(await client.request({ method: 'GET', path, query })).toString()) as {
    readonly items: readonly PodMetrics[]
  }
  return new Map(
    items.map(({ metadata, containers = [] }) => [
      metadata.labels?.[label.createdBy] ?? '',
      {
        cpus: sum(containers.map(({ usage }) => Number(parseMilli(usage.cpu ?? 0)) / 1000)),
        memory: sum(containers.map(({ usage }) => Number(parseQuantity(usage.memory ?? 0)))),
      },
    ]),
  )
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Counters of virt-handler with what they are added to. */
const counters: Readonly<Record<string, keyof Usage>> = {
  kubevirt_vmi_cpu_usage_seconds_total: 'cpuSeconds',
  kubevirt_vmi_storage_read_traffic_bytes_total: 'diskRead',
  kubevirt_vmi_storage_write_traffic_bytes_total: 'diskWritten',
  kubevirt_vmi_network_receive_bytes_total: 'received',
  kubevirt_vmi_network_transmit_bytes_total: 'sent',
}

/** By namespace and name. Reaching a virt-handler takes the right to its pod's proxy. */
async function nodeUsage(cluster: Cluster, nodes: readonly string[]): Promise<Map<string, Partial<Usage>>> {
  if (nodes.length === 0) return new Map()
  const { metadata } = await fetchKubeVirt(cluster)
  const namespace = metadata.namespace ?? 'kubevirt'
  const { items } = await cluster.client.list(pods, { namespace, labelSelector: `${label.app}=virt-handler` })
  const handlers = items.filter(({ spec }) => nodes.includes(spec?.nodeName ?? ''))
  const samples = (await Promise.all(handlers.map((handler) => samplesOf(cluster, namespace, handler)))).flat()
  if (!samples.some(({ name }) => name in counters)) throw new Error('it serves no statistics of guests')
  return summed(samples)
}

async function samplesOf({ client }: Cluster, namespace: string, { metadata }: Pod): Promise<Sample[]> {
  const path = `/api/v1/namespaces/${namespace}/pods/https:${metadata.name}:8443/proxy/metrics` as const
  return readExposition(answerOf(await client.request({ method: 'GET', path })).toString(), 'kubevirt_vmi_')
}

/** A guest's disks and interfaces together. */
function summed(samples: readonly Sample[]): Map<string, Partial<Usage>> {
  const usage = new Map<string, Record<string, number>>()
  for (const { name, labels, value } of samples) {
    const field = counters[name]
    if (field === undefined) continue
    const key = `${labels['namespace']}/${labels['name']}`
    const guest = usage.get(key) ?? {}
    usage.set(key, { ...guest, [field]: (guest[field] ?? 0) + value })
  }
  return usage
}
