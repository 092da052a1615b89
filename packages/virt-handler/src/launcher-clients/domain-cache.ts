import { isDeepStrictEqual } from 'node:util'
import type { Domain } from '@kubevirt-ts/domain'
import type { Guest } from './guest.ts'

const deadStates: ReadonlySet<string> = new Set(['Shutoff', 'Crashed'])

/** The guest has run and ended. A domain that is defined but was never started has no reason yet. */
export function hasEnded({ status }: Domain): boolean {
  return deadStates.has(status.status) && (status.status === 'Crashed' || !['', 'Unknown'].includes(status.reason))
}

/** The last known domain of each guest on this node, by UID. How a guest ended is kept until the guest is forgotten. */
export class DomainCache {
  readonly #domains = new Map<string, Domain>()
  readonly #versions = new Map<string, number>()
  readonly #heard = new Set<string>()
  readonly #onChange: (guest: Guest) => void

  /** @param onChange called after each change */
  constructor(onChange: (guest: Guest) => void) {
    this.#onChange = onChange
  }

  get(uid: string): Domain | undefined {
    return this.#domains.get(uid)
  }

  /** Whether a launcher has spoken at all: only then does having no domain mean that there is none. */
  knows(uid: string): boolean {
    return this.#heard.has(uid)
  }

  /** Counts the changes told by events; lets the asker of a slow question notice that its answer is stale. */
  version(uid: string): number {
    return this.#versions.get(uid) ?? 0
  }

  /** What a launcher told: undefined when it has no domain any more. A domain of another guest is ignored. */
  told(guest: Guest, domain: Domain | undefined): void {
    this.#versions.set(guest.uid, this.version(guest.uid) + 1)
    this.#replace(guest, domain)
  }

  /** What a launcher answered to a question asked at `version`. */
  answered(guest: Guest, domain: Domain | undefined, version: number): void {
    if (version === this.version(guest.uid)) this.#replace(guest, domain)
  }

  forget(uid: string): void {
    this.#domains.delete(uid)
    this.#versions.delete(uid)
    this.#heard.delete(uid)
  }

  #replace(guest: Guest, domain: Domain | undefined): void {
    const { uid } = guest
    const isFirst = !this.#heard.has(uid)
    this.#heard.add(uid)
    const before = this.#domains.get(uid)
    if (before !== undefined && hasEnded(before)) return
    // Who asks again when woken would never come to rest.
    if (!isFirst && isDeepStrictEqual(domain, before)) return
    if (domain === undefined) this.#domains.delete(uid)
    else if (domain.metadata.uid === uid) this.#domains.set(uid, domain)
    else return
    this.#onChange(guest)
  }
}
