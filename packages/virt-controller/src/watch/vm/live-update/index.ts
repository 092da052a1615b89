import type { VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { cpu } from './cpu.ts'
import { interfaces } from './interfaces.ts'
import { memory } from './memory.ts'
import { placement } from './placement.ts'
import type { Facts, Step } from './step.ts'
import { volumes } from './volumes.ts'

export type { Facts } from './step.ts'

export interface LiveUpdate {
  /** The running guest's spec as it should be. */
  readonly spec: VirtualMachineInstanceSpec
  /** Why something of the template has to wait for the next start. */
  readonly restart?: string
}

/** Plugged in and out whatever else of the template waits for a restart. */
const plugged: readonly Step[] = [interfaces, volumes]
/** Taken over where the cluster updates guests live. */
const live: readonly Step[] = [cpu, placement, memory]

/** What a running guest takes over from its template. Pure. */
export function liveUpdate(facts: Facts, isLive: boolean): LiveUpdate {
  let spec = facts.vmi.spec
  for (const step of isLive ? [...plugged, ...live] : plugged) {
    const result = step(spec, facts)
    if ('restart' in result) return { spec, restart: result.restart }
    spec = result.spec
  }
  return { spec }
}
