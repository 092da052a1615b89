import { annotation, label, type Node, nodes } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cpuFactsOf } from './cpu.ts'
import { cpuVendorOf, labelChange, type NodeFacts, type ObsoleteModels } from './labels.ts'
import { builtInMachineTypes, machineTypesOf } from './machine-types.ts'

export interface LabellerOptions {
  readonly client: KubeClient
  readonly node: string
  /** Where the launcher image's libvirt writes what it can do, when it has been asked. */
  readonly folder: string
  readonly obsolete: () => ObsoleteModels
  /** Tells what the node's owner should know. */
  readonly warn: (node: Node, reason: string, message: string) => void
  readonly log: Logger
}

/** libvirt is asked while this process is up already. */
const firstPeriodMs = 2_000
const firstRounds = 60
const periodMs = 180_000

/** Labels the node now and again, as what it offers and what counts as obsolete may change. Ends with the signal. */
export async function keepLabelled(options: LabellerOptions, signal: AbortSignal): Promise<void> {
  for (let round = 0; !signal.aborted; round++) {
    const known = await labelNode(options).catch((error: unknown) => {
      options.log.error({ error, node: options.node }, 'the node could not be labelled')
      return false
    })
    const pauseMs = known || round >= firstRounds ? periodMs : firstPeriodMs
    await delay(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Labels the node with what it offers to guests, unless its owner asked not to. Answers whether that is known whole. */
export async function labelNode(options: LabellerOptions): Promise<boolean> {
  const { client, node: name, folder, obsolete, log } = options
  const facts = await nodeFacts(folder)
  const node = await client.get(nodes, { name })
  if (node.metadata.annotations?.[annotation.nodeLabellerSkip] !== undefined) return true
  const labels = labelChange(node.metadata.labels ?? {}, facts, obsolete())
  if (labels !== undefined) {
    await client.patch(nodes, { name }, { metadata: { labels } }, { type: 'strategic' })
    log.info({ node: name, labels: Object.keys(labels).length }, 'node labelled')
  }
  if (labels?.[label.hostModelObsolete] === 'true')
    options.warn(node, 'HostModelIsObsolete', `the host model ${facts.cpu?.hostModel?.name} is in obsoleteCPUModels`)
  return facts.cpu !== undefined
}

async function nodeFacts(folder: string): Promise<NodeFacts> {
  const complete = existsSync(join(folder, 'complete'))
  const capabilities = await textOf(join(folder, 'capabilities.xml'))
  const machineTypes = complete ? machineTypesOf(capabilities) : []
  const texts = {
    capabilities,
    domainCapabilities: await textOf(join(folder, 'virsh_domcapabilities.xml')),
    supportedFeatures: await textOf(join(folder, 'supported_features.xml')),
  }
  return {
    machineTypes: machineTypes.length > 0 ? machineTypes : builtInMachineTypes,
    cpuVendor: cpuVendorOf(await textOf('/proc/cpuinfo')),
    cpu: complete ? cpuFactsOf(texts) : undefined,
    realtime: (await textOf('/proc/sys/kernel/sched_rt_runtime_us')).trim() === '-1',
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
