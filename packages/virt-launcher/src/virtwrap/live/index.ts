import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { DomainSpec } from '@kubevirt-ts/domain'
import type { Domain } from '@kubevirt-ts/libvirt'
import type { Launcher } from '../launcher.ts'
import { plugDisks } from './disks.ts'
import { growDisks } from './grow-disks.ts'
import { plugNetworkCards } from './network-cards.ts'

/** A running guest and what its VMI says of it now. */
export type Live = {
  readonly vmi: VirtualMachineInstance
  readonly domain: Domain
  /** The domain as the VMI would make it now. */
  readonly wanted: DomainSpec
  readonly present: DomainSpec
  readonly launcher: Launcher
}

/** Brings one concern of a running guest to what is wanted. Repeating it changes nothing. */
export type LiveChange = (live: Live) => Promise<void>

const changes: readonly LiveChange[] = [plugDisks, growDisks, plugNetworkCards]

/** Everything that can be changed while a guest runs. One that fails does not keep the others back. */
export async function changeLive(live: Live): Promise<void> {
  const failures: unknown[] = []
  for (const change of changes) await change(live).catch((error: unknown) => failures.push(error))
  for (const failure of failures) throw failure
}
