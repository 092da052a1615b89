import { leases, type Lease, type LeaseSpec } from '@kubevirt-ts/api'
import { isAlreadyExists, isConflict, isNotFound, type KubeClient } from '@kubevirt-ts/kubecli'
import { VirtError, type Logger } from '@kubevirt-ts/service'
import { pause } from './pause.ts'

/** What a leader may ask about itself. */
export interface Leadership {
  /** By our own clock alone, so that a process that was stopped for a while knows it at once. */
  isHeld(): boolean
}

export interface LeaderElectionOptions {
  readonly client: KubeClient
  /** Of the Lease. */
  readonly namespace: string
  readonly name: string
  /** Who we are, unique among the candidates. */
  readonly identity: string
  /** 15 s unless told. */
  readonly leaseDurationMs?: number
  /** How long a leader goes on without a successful renewal; 10 s unless told, and shorter than the lease. */
  readonly renewDeadlineMs?: number
  /** 2 s unless told. */
  readonly retryPeriodMs?: number
  /** Runs while we lead; its signal is aborted before the lease can belong to another. */
  readonly onStarted: (signal: AbortSignal, leadership: Leadership) => void | Promise<void>
  /** After leading ended, for whatever reason. */
  readonly onStopped?: () => void
  /** Each newly seen holder. */
  readonly onNewLeader?: (identity: string) => void
  readonly log: Logger
  /** Ends the election; a held lease is given back. */
  readonly signal: AbortSignal
}

type Settings = LeaderElectionOptions &
  Required<Pick<LeaderElectionOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>>

/**
 * Takes part in the election until the signal is aborted. Rejects with reason `LeadershipLost` when the lease was lost,
 * or with the error of `onStarted`.
 */
export async function runLeaderElection(options: LeaderElectionOptions): Promise<void> {
  const settings = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000, ...options }
  if (settings.renewDeadlineMs >= settings.leaseDurationMs) {
    throw new VirtError('InvalidLeaderElection', 'the renew deadline must be shorter than the lease duration')
  }
  const candidate = new Candidate(settings)
  if (await acquire(candidate, settings)) await lead(candidate, settings)
}

async function acquire(candidate: Candidate, { signal, retryPeriodMs, log, name }: Settings): Promise<boolean> {
  log.info({ lease: name }, 'waiting for leadership')
  while (!signal.aborted) {
    // A lease whose answer took as long as it lasts is not led by: it would be lost at once.
    if ((await candidate.tryHold()) && candidate.isHeld()) return true
    // Candidates that spread out do not all write when a lease becomes free.
    await pause(retryPeriodMs * (1 + Math.random() * 0.2), signal)
  }
  return false
}

async function lead(candidate: Candidate, settings: Settings): Promise<void> {
  const { log, name, signal, onStarted, onStopped } = settings
  const leading = new AbortController()
  log.info({ lease: name, identity: settings.identity }, 'leading')
  let failure: unknown
  const work = Promise.resolve()
    .then(() => onStarted(leading.signal, candidate))
    .catch((error: unknown) => {
      failure = error
      leading.abort()
    })
  await renew(candidate, settings, AbortSignal.any([signal, leading.signal]))
  const lost = !candidate.isHeld() || (!signal.aborted && failure === undefined)
  leading.abort()
  // What is being written may finish while the lease is certainly ours.
  await within(candidate.remainingMs(), work)
  if (lost) candidate.stepDown()
  else await candidate.release()
  onStopped?.()
  if (failure !== undefined) throw failure
  if (lost)
    throw new VirtError('LeadershipLost', `lease ${settings.namespace}/${name} was lost; another replica takes over`)
}

/** Until the lease is lost or the signal is aborted. */
async function renew(candidate: Candidate, { retryPeriodMs }: Settings, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && candidate.isHeld()) {
    await pause(Math.min(retryPeriodMs, candidate.remainingMs()), signal)
    if (signal.aborted) return
    // A request without an answer must not keep us leading beyond the deadline.
    await within(candidate.remainingMs(), candidate.tryHold(), signal)
  }
}

/** Waits for the work, but no longer than this, nor beyond an abort. */
async function within(milliseconds: number, work: Promise<unknown>, signal?: AbortSignal): Promise<void> {
  const done = new AbortController()
  const signals = signal === undefined ? [done.signal] : [done.signal, signal]
  await Promise.race([work, pause(milliseconds, AbortSignal.any(signals))])
  done.abort()
}

/** Our view of the lease. Others' renewals are timed by our own clock from when we saw them, since clocks differ. */
class Candidate implements Leadership {
  readonly #settings: Settings
  #lease: Lease | undefined
  #seenRenewal = ''
  #seenAt = 0
  #seenHolder = ''
  #heldUntil = -Infinity
  #steppedDown = false

  constructor(settings: Settings) {
    this.#settings = settings
  }

  isHeld(): boolean {
    return !this.#steppedDown && performance.now() < this.#heldUntil
  }

  remainingMs(): number {
    return Math.max(0, this.#heldUntil - performance.now())
  }

  /** Takes or renews the lease; false when it is another's or cannot be written now. */
  async tryHold(): Promise<boolean> {
    const startedAt = performance.now()
    try {
      const held = (this.isHeld() && (await this.#write(this.#lease))) || (await this.#readAndWrite())
      // The lease counts from before the request, as others may have seen it then.
      this.#heldUntil = held ? startedAt + this.#settings.renewDeadlineMs : this.#keepUnlessTaken()
      return held
    } catch (error) {
      this.#settings.log.warn({ error, lease: this.#settings.name }, 'lease could not be written')
      return false
    }
  }

  /** For good: an answer that comes late must not make us leader again. */
  stepDown(): void {
    this.#steppedDown = true
  }

  /** Gives the lease back, so that another need not wait for its end. */
  async release(): Promise<void> {
    const { client, log, name } = this.#settings
    this.stepDown()
    if (this.#lease === undefined) return
    const now = microTime(new Date())
    const spec = { ...this.#lease.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now }
    try {
      await client.update(leases, { ...this.#lease, spec })
      log.info({ lease: name }, 'leadership given back')
    } catch (error) {
      log.warn({ error, lease: name }, 'leadership could not be given back; it ends with the lease')
    }
  }

  async #readAndWrite(): Promise<boolean> {
    const { client, namespace, name } = this.#settings
    const lease = await client.get(leases, { namespace, name }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined
      throw error
    })
    this.#observe(lease)
    if (!this.#mayTake(lease?.spec)) return false
    return this.#write(lease)
  }

  /** False when somebody else wrote first. */
  async #write(lease: Lease | undefined): Promise<boolean> {
    const { client, namespace, name } = this.#settings
    try {
      this.#lease =
        lease === undefined
          ? await client.create(leases, {
              apiVersion: 'coordination.k8s.io/v1',
              kind: 'Lease',
              metadata: { namespace, name },
              spec: this.#spec(undefined),
            })
          : await client.update(leases, { ...lease, spec: this.#spec(lease.spec) })
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return false
      throw error
    }
    this.#observe(this.#lease)
    return true
  }

  #spec(before: LeaseSpec | undefined): LeaseSpec {
    const { identity, leaseDurationMs } = this.#settings
    const now = microTime(new Date())
    const mine = before?.holderIdentity === identity
    const transitions = before?.leaseTransitions ?? 0
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      acquireTime: mine ? (before.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: mine || before === undefined ? transitions : transitions + 1,
    }
  }

  #observe(lease: Lease | undefined): void {
    const { holderIdentity = '', renewTime = '' } = lease?.spec ?? {}
    const renewal = `${holderIdentity} ${renewTime}`
    if (renewal !== this.#seenRenewal) {
      this.#seenRenewal = renewal
      this.#seenAt = performance.now()
    }
    if (holderIdentity === this.#seenHolder) return
    this.#seenHolder = holderIdentity
    if (holderIdentity !== '') this.#settings.onNewLeader?.(holderIdentity)
  }

  #mayTake(spec: LeaseSpec | undefined): boolean {
    const holder = spec?.holderIdentity ?? ''
    if (holder === '' || holder === this.#settings.identity) return true
    return performance.now() > this.#seenAt + (spec?.leaseDurationSeconds ?? 0) * 1000
  }

  /** Another holder in the lease ends ours at once; a write that merely failed leaves the old deadline. */
  #keepUnlessTaken(): number {
    return this.#seenHolder === '' || this.#seenHolder === this.#settings.identity ? this.#heldUntil : -Infinity
  }
}

/** Kubernetes' MicroTime. */
function microTime(time: Date): string {
  return time.toISOString().replace('Z', '000Z')
}
