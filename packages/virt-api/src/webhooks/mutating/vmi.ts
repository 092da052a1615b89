import { annotation, finalizer } from '@kubevirt-ts/api'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Settings } from '../settings.ts'
import { setDefaults } from './defaults/index.ts'
import { pciTopology } from './pci-topology.ts'

/** What is not decided by the object itself: the time and random UUIDs. */
export interface Chance {
  readonly now: () => string
  readonly newId: () => string
}

/** The user id that launchers run as, unless the gate Root lets them be root. */
const launcherUser = 107

/** A new VMI as it is stored: defaults, the finalizer, the first phase. The argument is not changed. */
export function mutateNewVmi(
  given: VirtualMachineInstance,
  settings: Settings,
  chance: Chance,
): VirtualMachineInstance {
  const vmi = structuredClone(given)
  vmi.status = { ...vmi.status }
  setDefaults(vmi, settings, chance.newId)
  annotate(vmi)
  const finalizers = vmi.metadata.finalizers ?? []
  if (!finalizers.includes(finalizer.vmi)) vmi.metadata.finalizers = [...finalizers, finalizer.vmi]
  vmi.status.runtimeUser = settings.isEnabled('Root') ? 0 : launcherUser
  vmi.status.phase = 'Pending'
  vmi.status.phaseTransitionTimestamps = [{ phase: 'Pending', phaseTransitionTimestamp: chance.now() }]
  return vmi
}

function annotate(vmi: VirtualMachineInstance): void {
  const topology = pciTopology(vmi.spec.architecture, vmi.spec.domain.machine?.type)
  if (topology === undefined) return
  vmi.metadata.annotations = { [annotation.pciTopologyVersion]: topology, ...vmi.metadata.annotations }
}
