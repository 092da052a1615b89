import { setTimeout as sleep } from 'node:timers/promises'
import type { MigrationMetadata } from '@kubevirt-ts/domain'
import type { MigrationOptions } from '@kubevirt-ts/handler-launcher-com'
import type { DomainJob } from '@kubevirt-ts/libvirt'
import type { Launcher } from '../launcher.ts'
import { allowedDowntimeMs, judge, type Progress } from './verdict.ts'

const everyMs = 400

/** Looks after a migration until the signal: brings it to its end by the means that are allowed, or gives it up. */
export function watchMigration(
  size: number,
  options: MigrationOptions,
  launcher: Launcher,
  signal: AbortSignal,
): { readonly ended: Promise<void>; reason(): string | undefined } {
  let reason: string | undefined
  let least = { remaining: Number.POSITIVE_INFINITY, atMs: 0 }
  let allowed: number | undefined
  let hasMemory = false
  const { libvirt, log, state } = launcher

  const look = async (): Promise<void> => {
    const job = await libvirt.ask(async (domain) => domain?.job())
    if (job === undefined) return
    tellProgress(job, size, launcher)
    const progress = progressOf(job)
    await allowDowntime(allowedDowntimeMs(progress, options))
    const verdict = judge(progress, options)
    switch (verdict.kind) {
      case 'go-on':
        return
      case 'post-copy':
        await libvirt.ask(async (domain) => domain?.startPostCopy())
        return become('PostCopy')
      case 'pause':
        await libvirt.ask(async (domain) => domain?.suspend())
        return become('Paused')
      case 'abort':
        reason = verdict.reason
        await libvirt.ask(async (domain) => domain?.abortJob())
        return
    }
  }
  const progressOf = ({ elapsedMs, dataRemaining, memoryTotal }: DomainJob): Progress => {
    // Memory is counted when the disks are through: what was left of those says nothing of it.
    const isOther = hasMemory !== memoryTotal > 0
    hasMemory = memoryTotal > 0
    if (isOther || dataRemaining < least.remaining) least = { remaining: dataRemaining, atMs: elapsedMs }
    const mode = (state.migration?.mode ?? 'PreCopy') as Progress['mode']
    return { elapsedMs, remaining: dataRemaining, least, mode, size }
  }
  const allowDowntime = async (milliseconds: number): Promise<void> => {
    if (milliseconds === allowed) return
    allowed = milliseconds
    await libvirt
      .ask(async (domain) => domain?.setMaxDowntime(milliseconds))
      .catch((error: unknown) => log.warn({ error }, 'the allowed downtime was not set'))
  }
  const become = (mode: Progress['mode']): void => {
    log.info({ mode }, 'the migration takes another way')
    state.migration = { ...state.migration, mode }
    launcher.onFacts()
  }
  const run = async (): Promise<void> => {
    // Before the first byte: a small guest is through before the first look.
    await allowDowntime(allowedDowntimeMs({ elapsedMs: 0, least }, options))
    while (!signal.aborted) {
      await look().catch((error: unknown) => log.warn({ error }, 'the migration could not be looked after'))
      await sleep(everyMs, undefined, { signal }).catch(() => undefined)
    }
  }
  return { ended: run(), reason: () => reason }
}

/** How often virt-handler is told how far the move is. */
const tellMs = 5_000

function tellProgress(job: DomainJob, size: number, launcher: Launcher): void {
  const { state } = launcher
  const told = state.migration?.progress
  if (job.dataTotal === 0 || (told !== undefined && job.elapsedMs - (state.toldProgressMs ?? 0) < tellMs)) return
  state.toldProgressMs = job.elapsedMs
  state.migration = { ...state.migration, progress: progressOfJob(job, size) }
  launcher.onFacts()
}

/**
 * The rate is that since the beginning. While only disks are copied libvirt does not count the memory that follows them.
 * @param size bytes that the whole move was expected to have
 */
export function progressOfJob(
  { dataTotal, dataRemaining, dataProcessed, memoryTotal, elapsedMs }: DomainJob,
  size: number,
): NonNullable<MigrationMetadata['progress']> {
  const bytesPerSecond = elapsedMs > 0 ? Math.round((dataProcessed * 1_000) / elapsedMs) : 0
  const toCome = memoryTotal === 0 ? Math.max(0, size - dataTotal) : 0
  return { totalBytes: dataTotal + toCome, remainingBytes: dataRemaining + toCome, bytesPerSecond }
}
