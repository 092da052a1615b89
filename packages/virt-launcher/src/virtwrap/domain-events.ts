import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { DomainEvent } from '@kubevirt-ts/libvirt'
import type { Domain } from '@kubevirt-ts/domain'
import type { Logger } from '@kubevirt-ts/service'
import type { DomainNotifier } from '../notify-client/domain-notifier.ts'
import type { Launcher } from './launcher.ts'
import { lookAfter } from './migration/switch-over.ts'
import { getDomain } from './operations/get-domain.ts'

/**
 * Turns libvirt's events into reports to virt-handler. Events only wake: what is reported is how the domain is when it
 * is looked at, so several events in a row may become one report and none is lost.
 */
export type DomainEvents = {
  /** Look and report, because of an event or because one may have been missed. */
  wake(event?: DomainEvent): void
  /** Resolves at the next report for which `wanted` holds, or now if the last one was such. */
  next(wanted: (report: Report) => boolean): Promise<Report>
  /** No more looks; libvirt's connections may be closed after it. */
  end(): Promise<void>
}

export type Report = { readonly type: 'Added' | 'Modified' | 'Deleted'; readonly domain: Domain }

/** @param onLook how the domain is, each time that it was looked at */
export function reportDomainEvents(
  launcher: Launcher,
  notifier: DomainNotifier,
  log: Logger,
  onLook: (domain: Domain | undefined) => void = () => {},
): DomainEvents {
  let last: Report | undefined
  let looking = false
  let again = false
  const waiters = new Set<(report: Report) => void>()
  const ending = new AbortController()
  let looks = Promise.resolve()

  const look = async (): Promise<void> => {
    again = true
    if (looking) return looks
    looking = true
    while (again) {
      again = false
      try {
        const domain = await getDomain(launcher)
        if (launcher.state.firstMoments !== undefined) continue
        onLook(domain)
        publish(domain)
      } catch (error) {
        log.warn({ error }, 'the domain could not be looked at')
      }
    }
    looking = false
  }
  const publish = (domain: Domain | undefined): void => {
    const report = reportOf(domain, last)
    if (!report) return
    last = report
    log.info(
      { type: report.type, status: report.domain.status.status, reason: report.domain.status.reason },
      'domain changed',
    )
    notifier.notify(report.type, report.domain)
    for (const waiter of waiters) waiter(report)
  }
  /** A look that is being taken is stale at its end. */
  const lookLater = async (milliseconds: number): Promise<void> => {
    const { state } = launcher
    state.firstMoments = sleep(milliseconds, undefined, { signal: ending.signal }).catch(() => undefined)
    await state.firstMoments
    delete state.firstMoments
    if (!ending.signal.aborted) looks = look()
  }
  return {
    wake(event) {
      if (event?.kind === 'agent') launcher.state.facts = { ...launcher.state.facts, agentConnected: event.connected }
      if (event?.kind === 'lifecycle' && event.event === 'stopped') launcher.state.facts = {}
      const after = event === undefined ? 0 : lookAfter(event, launcher.state)
      if (ending.signal.aborted || launcher.state.firstMoments !== undefined || after === 'never') return
      if (after === 0) looks = look()
      else void lookLater(after)
    },
    async end() {
      ending.abort()
      again = false
      await looks
    },
    next(wanted) {
      return new Promise((resolve) => {
        const waiter = (report: Report): void => {
          if (!wanted(report)) return
          waiters.delete(waiter)
          resolve(report)
        }
        waiters.add(waiter)
        if (last) waiter(last)
      })
    },
  }
}

function reportOf(domain: Domain | undefined, last: Report | undefined): Report | undefined {
  if (domain && last?.type !== 'Deleted' && isDeepStrictEqual(domain, last?.domain)) return undefined
  if (domain) return { type: last === undefined || last.type === 'Deleted' ? 'Added' : 'Modified', domain }
  return last === undefined || last.type === 'Deleted' ? undefined : { type: 'Deleted', domain: last.domain }
}
