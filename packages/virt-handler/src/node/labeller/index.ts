import { annotation, nodes } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cpuVendorOf, labelChange, type NodeFacts } from './labels.ts'
import { builtInMachineTypes, machineTypesOf } from './machine-types.ts'

export interface LabellerOptions {
  readonly client: KubeClient
  readonly node: string
  /** Where the launcher image's libvirt has written its capabilities, if it has. */
  readonly folder: string
  readonly log: Logger
}

/** Labels the node with what it offers to guests, unless its owner asked not to. */
export async function labelNode({ client, node, folder, log }: LabellerOptions): Promise<void> {
  const { metadata } = await client.get(nodes, { name: node })
  if (metadata.annotations?.[annotation.nodeLabellerSkip] !== undefined) return
  const labels = labelChange(metadata.labels ?? {}, await nodeFacts(folder))
  if (labels === undefined) return
  await client.patch(nodes, { name: node }, { metadata: { labels } }, { type: 'strategic' })
  log.info({ node, labels: Object.keys(labels).length }, 'node labelled')
}

async function nodeFacts(folder: string): Promise<NodeFacts> {
  const capabilities = machineTypesOf(await textOf(join(folder, 'capabilities.xml')))
  return {
    machineTypes: capabilities.length > 0 ? capabilities : builtInMachineTypes,
    cpuVendor: cpuVendorOf(await textOf('/proc/cpuinfo')),
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
