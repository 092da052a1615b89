import { canonicalQuantities, dropZeroValues } from '@kubevirt-ts/vmispec'
import type { Settings } from '../../settings.ts'
import { architecture, machineType } from './architecture.ts'
import { clock } from './clock.ts'
import { cpuModel, cpuStatus, cpuTopology, maxSockets } from './cpu.ts'
import type { Default, Draft } from './default.ts'
import { inputs, watchdog } from './devices.ts'
import { evictionStrategy } from './eviction.ts'
import { features, hypervDependencies } from './features.ts'
import { bootloader, firmwareUuid } from './firmware.ts'
import { guestMemory, maxGuestMemory, memoryStatus } from './memory.ts'
import { podNetwork } from './network.ts'
import { probes } from './probes.ts'
import { resourceRequests } from './resources.ts'
import { containerDisks, diskTargets, emptyReferences, hostDisks, missingDisks } from './volumes.ts'

/** The defaults in their order: later ones read what earlier ones wrote. */
const defaults: readonly Default[] = [
  architecture,
  machineType,
  resourceRequests,
  guestMemory,
  cpuTopology,
  containerDisks,
  hostDisks,
  emptyReferences,
  evictionStrategy,
  podNetwork,
  missingDisks,
  diskTargets,
  inputs,
  watchdog,
  features,
  clock,
  probes,
  hypervDependencies,
  bootloader,
  cpuModel,
  memoryStatus,
  cpuStatus,
  maxSockets,
  maxGuestMemory,
]

/** Fills in what a VMI leaves open. Changes `draft`; `newId` gives a random UUID for its firmware. */
export function setDefaults(draft: Draft, settings: Settings, newId: () => string): void {
  draft.spec.domain ??= { devices: {} }
  draft.spec.domain.devices ??= {}
  dropZeroValues(draft.spec)
  canonicalQuantities(draft.spec)
  for (const fill of defaults) fill(draft, settings)
  firmwareUuid(newId)(draft, settings)
}
