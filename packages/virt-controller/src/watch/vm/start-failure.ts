import type { VirtualMachineStartFailure, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isReceiver } from '../receiver.ts'
import { isFinal, runStrategyOf } from './seen.ts'
import type { Seen } from './seen.ts'

const maxDelaySeconds = 300
const intervalSeconds = Math.max(10, maxDelaySeconds / 30)

const backingOff: ReadonlySet<string> = new Set(['Always', 'RerunOnFailure', 'Once'])

/**
 * The record of starts that failed in a row. A VMI counts once, when it ended without ever having run; one that waited for
 * a guest of another cluster was not started. A guest that runs or a strategy without restarts clears the record.
 */
export function nextStartFailure(seen: Seen): VirtualMachineStartFailure | undefined {
  const { vm, vmi } = seen
  const current = vm.status?.startFailure
  if (!backingOff.has(runStrategyOf(vm))) return undefined
  if (vmi?.status?.phase === 'Running') return undefined
  if (vmi === undefined || !isFinal(vmi)) return current
  if (hasRun(vmi)) return undefined
  if (isReceiver(vmi)) return current
  if (current?.lastFailedVMIUID === vmi.metadata.uid) return current
  const count = (current?.consecutiveFailCount ?? 0) + 1
  const retryAt = new Date(seen.now.getTime() + delaySeconds(count, seen.random) * 1000)
  return {
    consecutiveFailCount: count,
    lastFailedVMIUID: vmi.metadata.uid,
    retryAfterTimestamp: `${retryAt.toISOString().slice(0, 19)}Z`,
  }
}

function hasRun(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.phaseTransitionTimestamps?.some(({ phase }) => phase === 'Running') ?? false
}

/** Seconds until the next attempt after `count` failures: quadratic, half of it at random, at most 5 minutes. */
export function delaySeconds(count: number, random: number): number {
  const base = intervalSeconds * count * count
  return Math.min(maxDelaySeconds, Math.round(base + random * (base / 2)))
}

/** Milliseconds until a start is allowed again; 0 where it is allowed now. */
export function startAllowedIn({ vm, now }: Seen): number {
  const retryAfter = vm.status?.startFailure?.retryAfterTimestamp
  if (retryAfter === undefined || !backingOff.has(runStrategyOf(vm))) return 0
  return Math.max(0, Date.parse(retryAfter) - now.getTime())
}
