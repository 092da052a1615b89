import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Lister } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { type Guest, vmiKey } from '../../launcher-clients/guest.ts'
import type { LauncherClients } from '../../launcher-clients/launcher-clients.ts'
import { freshest } from '../write-status.ts'
import { mayStartEarly } from './may-start-early.ts'

/** How long a VMI is believed to be on its way here without being asked for again. */
export const trustMs = 30_000

/** A VMI that is still on its way here while its launcher is here already. */
export interface EarlyStart {
  /** As it was when it was asked for. */
  readonly vmi: VirtualMachineInstance
  readonly podUid: string
  readonly sinceMs: number
}

export interface EarlyStartsOptions {
  readonly node: string
  readonly client: KubeClient
  readonly vmis: Pick<Lister<VirtualMachineInstance>, 'get'>
  readonly launchers: Pick<LauncherClients, 'knows'>
  /** The guest that a pod's launcher says to be there for. */
  readonly claim: (podUid: string) => Promise<Guest | undefined>
  readonly onStart: (guest: Guest) => void
  readonly now: () => number
}

/** The guests that are made before their VMI is handed over, by UID. They run with the hand-over, not before. */
export class EarlyStarts {
  readonly #options: EarlyStartsOptions
  readonly #starts = new Map<string, EarlyStart>()

  constructor(options: EarlyStartsOptions) {
    this.#options = options
  }

  /** A launcher listens in this pod. Asks for its VMI once; a pod that may not start now waits for the hand-over. */
  async arrived(podUid: string): Promise<void> {
    const { client, launchers, vmis, claim, onStart } = this.#options
    const guest = await claim(podUid)
    const isTaken = (uid: string): boolean => launchers.knows(uid) || this.#starts.has(uid)
    if (guest === undefined || isTaken(guest.uid) || vmis.get(vmiKey(guest)) !== undefined) return
    const vmi = await freshest(client, { metadata: guest })
    if (vmi === undefined || isTaken(guest.uid) || !this.begin(vmi, podUid)) return
    onStart(guest)
  }

  /** Takes the VMI up if its guest may be made now; answers whether it did. */
  begin(vmi: VirtualMachineInstance, podUid: string): boolean {
    const { node, now } = this.#options
    if (!mayStartEarly(vmi, podUid, node)) return false
    this.#starts.set(vmi.metadata.uid ?? '', { vmi, podUid, sinceMs: now() })
    return true
  }

  get(uid: string): EarlyStart | undefined {
    return this.#starts.get(uid)
  }

  /** The VMI was handed over, or what is known of it may not be true any more. */
  drop(uid: string): void {
    this.#starts.delete(uid)
  }
}
