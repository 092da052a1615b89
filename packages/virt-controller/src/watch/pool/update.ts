import type { ControllerRevision, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isSameJson } from '../same.ts'
import { ordered } from './selection.ts'
import { revisionNameOf, templateOf } from './revisions.ts'
import { isDeleting, isReady } from './seen.ts'
import type { Seen } from './seen.ts'

/** What one pass does so that members follow a changed template. */
export interface Updates {
  readonly vms: readonly VirtualMachine[]
  /** Guests to end, so that their VMs start them anew. */
  readonly guests: readonly VirtualMachineInstance[]
}

const nothing: Updates = { vms: [], guests: [] }

/**
 * VMs of another revision are updated unless updates are unmanaged. Their guests are restarted only by a proactive
 * strategy, which is the default, and never more at once than the pool allows to be unavailable.
 */
export function updates(seen: Seen, current: string): Updates {
  const { opportunistic, proactive, unmanaged } = seen.pool.spec.updateStrategy ?? {}
  if (unmanaged !== undefined) return nothing
  const present = seen.members.filter((vm) => !isDeleting(vm))
  const vms = present.filter((vm) => revisionNameOf(vm) !== current)
  if (opportunistic !== undefined) return { vms, guests: [] }
  const outdated = ordered(present, proactive?.selectionPolicy, seen).flatMap((vm) => {
    const vmi = seen.vmiOf(vm)
    if (vmi === undefined || vms.includes(vm) || isDeleting(vmi)) return []
    return isOutdated(vmi, current, seen.revisions) ? [{ vmi, isUp: isReady(vm) }] : []
  })
  // A guest that serves nobody can be restarted without anybody missing it.
  const down = outdated.filter(({ isUp }) => !isUp)
  const up = outdated.filter(({ isUp }) => isUp).slice(0, restartable(seen))
  return { vms, guests: [...down, ...up].map(({ vmi }) => vmi) }
}

/** Whether the guest was made from another template of guests; a changed VM around the same guest needs no restart. */
function isOutdated(vmi: VirtualMachineInstance, current: string, revisions: readonly ControllerRevision[]): boolean {
  const own = revisionNameOf(vmi)
  if (own === undefined || own === current) return false
  const guestOf = (name: string): unknown => {
    const revision = revisions.find(({ metadata }) => metadata.name === name)
    return revision === undefined ? undefined : templateOf(revision)?.spec?.template
  }
  const [made, wanted] = [guestOf(own), guestOf(current)]
  return made === undefined || !isSameJson(made, wanted)
}

/** How many guests may be taken down in this pass. */
function restartable({ pool, members }: Seen): number {
  const unavailable = members.filter((vm) => !isReady(vm)).length
  return Math.max(0, amountOf(pool.spec.maxUnavailable ?? '100%', members.length) - unavailable)
}

/** A number, or a percentage of all, rounded up. */
function amountOf(value: number | string, all: number): number {
  const percent = /^(\d+)%$/.exec(String(value))?.[1]
  return percent === undefined ? Number(value) || 0 : Math.ceil((Number(percent) / 100) * all)
}
