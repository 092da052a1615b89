import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { EarlyOutcome } from './early-start/outcome.ts'
import type { DumpOutcome } from './memory-dump.ts'
import type { Signals } from './shutdown-step.ts'

/** What this process remembers of a guest between two steps. All of it can be lost: each step may be done twice. */
export interface Progress {
  /** What the launcher was told last; the guest is as this says. */
  synced?: string
  /** What came of making the guest before its VMI was handed over. */
  early?: EarlyOutcome
  /** When the guest was asked to end. */
  signals?: Signals
  /** A memory dump that has ended and is not told yet. */
  dump?: DumpOutcome
  /** The pod whose mounts and network are gone, so that only its launcher is still to end; empty when none was known. */
  released?: string
  /** The newest version of the VMI that this process has written. */
  written?: VirtualMachineInstance
}

/** The progress of each guest, by UID. */
export class ProgressBook {
  readonly #guests = new Map<string, Progress>()

  of(uid: string): Progress {
    const known = this.#guests.get(uid)
    if (known !== undefined) return known
    const fresh: Progress = {}
    this.#guests.set(uid, fresh)
    return fresh
  }

  forget(uid: string): void {
    this.#guests.delete(uid)
  }
}
