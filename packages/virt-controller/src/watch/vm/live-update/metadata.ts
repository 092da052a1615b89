import { virtualMachineInstances } from '@kubevirt-ts/api'
import { isInvalid, isNotFound } from '@kubevirt-ts/kubecli'
import { isLostRace } from '../../lost-race.ts'
import { syncPatch } from '../../synced-metadata.ts'
import type { Deps } from '../deps.ts'
import { reason } from '../reasons.ts'
import type { Problem } from '../reasons.ts'
import { isAlive } from '../seen.ts'
import type { Seen } from '../seen.ts'

/** Gives a running guest the labels and annotations of its template that its pod is to have too. Nothing is thrown but lost races. */
export async function carryMetadata({ vm, vmi }: Seen, deps: Deps): Promise<{ readonly problem?: Problem }> {
  const template = vm.spec.template.metadata
  if (!isAlive(vmi) || vm.metadata.deletionTimestamp !== undefined) return {}
  const { namespace, name } = vmi.metadata
  const labels = syncPatch(template?.labels, vmi.metadata.labels, deps.synced.label)
  const annotations = syncPatch(template?.annotations, vmi.metadata.annotations, deps.synced.annotation)
  if (labels === undefined && annotations === undefined) return {}
  const metadata = { ...(labels && { labels }), ...(annotations && { annotations }) }
  try {
    await deps.client.patch(virtualMachineInstances, { namespace, name }, { metadata }, { type: 'merge' })
    return {}
  } catch (error) {
    if (isNotFound(error)) return {}
    if (isLostRace(error)) throw error
    const text = error instanceof Error ? error.message : String(error)
    const message = `the running guest cannot take over labels and annotations of its template: ${text}`
    return { problem: { reason: reason.metadataChange, message, retry: !isInvalid(error) } }
  }
}
