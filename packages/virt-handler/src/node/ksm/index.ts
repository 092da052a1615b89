import { annotation, label, type KubeVirtConfiguration, type Node, nodes } from '@kubevirt-ts/api'
import { matchesSelector } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import type { ClusterConfig } from '@kubevirt-ts/virt-config'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lookAgain } from '../look-again.ts'
import { memoryOf, scanFor } from './tuning.ts'

export interface KsmDeps {
  readonly client: Pick<KubeClient, 'get' | 'patch'>
  readonly node: string
  readonly clusterConfig: Pick<ClusterConfig, 'configuration' | 'kubeVirt' | 'onChange'>
  /** Where the kernel's files of the host are. */
  readonly sysfs: string
  /** What the kernel says of its memory. */
  readonly meminfo: string
  readonly log: Logger
}

const periodMs = 60_000
/** Where no node is chosen only an administrator changes anything. */
const idlePeriodMs = 3_600_000

/**
 * Merges equal pages of memory (KSM) on this node while the KubeVirt resource chooses it, as hard as its memory is short.
 * Ends with the signal; what runs then goes on.
 */
export function keepMerging(deps: KsmDeps, signal: AbortSignal): Promise<void> {
  const look = async (): Promise<number> => {
    await merge(deps)
    return deps.clusterConfig.configuration().ksmConfiguration === undefined ? idlePeriodMs : periodMs
  }
  const failure = 'merging of equal memory pages could not be set; trying again'
  return lookAgain(deps, { look, retryMs: periodMs, failure }, signal)
}

/** One look: sets the kernel, and tells by the node's label whether it merges. An administrator's own setting is left. */
export async function merge({ client, node: name, clusterConfig, sysfs, meminfo, log }: KsmDeps): Promise<void> {
  const at = (file: string): string => join(sysfs, 'kernel/mm/ksm', file)
  const runs = await numberIn(at('run'))
  // The kernel was built without it.
  if (runs === undefined) return
  const node = await client.get(nodes, { name })
  const chosen = isChosen(node, clusterConfig.configuration())
  const managed = node.metadata.annotations?.[annotation.ksmHandlerManaged] === 'true'
  if (chosen || (managed && runs === 1)) {
    const now = { runs: runs === 1, pages: (await numberIn(at('pages_to_scan'))) ?? 0 }
    const scan = chosen ? scanFor(memoryOf(await readFile(meminfo, 'utf8')), now) : { ...now, runs: false, sleepMs: 0 }
    if (scan.runs) {
      await writeFile(at('sleep_millisecs'), String(scan.sleepMs))
      await writeFile(at('pages_to_scan'), String(scan.pages))
    }
    await writeFile(at('run'), scan.runs ? '1' : '0')
  }
  const labels = { [label.ksmEnabled]: String(chosen || (runs === 1 && !managed)) }
  const annotations = { [annotation.ksmHandlerManaged]: String(chosen) }
  if (holds(node.metadata.labels, labels) && holds(node.metadata.annotations, annotations)) return
  await client.patch(nodes, { name }, { metadata: { labels, annotations } }, { type: 'strategic' })
  log.info({ node: name, chosen }, 'merging of equal memory pages follows the KubeVirt resource')
}

function isChosen({ metadata }: Node, { ksmConfiguration }: KubeVirtConfiguration): boolean {
  const selector = ksmConfiguration?.nodeLabelSelector
  return selector !== undefined && matchesSelector(metadata.labels ?? {}, selector)
}

const holds = (has: Readonly<Record<string, string>> = {}, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([name, value]) => has[name] === value)

async function numberIn(file: string): Promise<number | undefined> {
  try {
    return Number(await readFile(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
