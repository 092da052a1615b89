import { annotation, finalizer } from '@kubevirt-ts/api'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import type { Settings } from '../settings.ts'
import { isRecordIdle } from './field-owners.ts'
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
  // Of metadata only what is replaced below is ours: the rest, with the many fields of its managers, need not be copied.
  const vmi = {
    ...given,
    metadata: { ...given.metadata },
    // It is JSON, and so half as dear as a structured clone.
    spec: JSON.parse(JSON.stringify(given.spec)) as VirtualMachineInstanceSpec,
    status: { ...given.status },
  }
  setDefaults(vmi, settings, chance.newId)
  annotate(vmi, settings)
  if (isRecordIdle(vmi)) delete vmi.metadata.managedFields
  const finalizers = vmi.metadata.finalizers ?? []
  if (!finalizers.includes(finalizer.vmi)) vmi.metadata.finalizers = [...finalizers, finalizer.vmi]
  vmi.status.runtimeUser = settings.isEnabled('Root') ? 0 : launcherUser
  vmi.status.phase = 'Pending'
  vmi.status.phaseTransitionTimestamps = [{ phase: 'Pending', phaseTransitionTimestamp: chance.now() }]
  return vmi
}

/** Socket of the service on the node that a TDX guest's attestation is signed by. */
const quoteSocketAnnotation = 'kubevirt.io/qgs-socket-path'
const quoteSocket = '/var/run/tdx-qgs/qgs.socket'

/** The emulator's own CPUs are made an even number where the KubeVirt resource is annotated so. */
const evenEmulatorCpus = ({ spec: { domain } }: VirtualMachineInstance, settings: Settings): boolean =>
  Boolean(domain.cpu?.isolateEmulatorThread) &&
  settings.isEnabled('AlignCPUs') &&
  settings.annotations?.[annotation.emulatorThreadCompleteToEvenParity] !== undefined

function annotate(vmi: VirtualMachineInstance, settings: Settings): void {
  const { configuration } = settings
  const { architecture, domain } = vmi.spec
  const topology = pciTopology(architecture, domain.machine?.type)
  const socket = configuration.confidentialCompute?.tdx?.attestation?.qgsSocketPath ?? quoteSocket
  const added = {
    ...(topology && { [annotation.pciTopologyVersion]: topology }),
    ...(evenEmulatorCpus(vmi, settings) && { [annotation.emulatorThreadCompleteToEvenParity]: '' }),
    ...(domain.launchSecurity?.tdx && { [quoteSocketAnnotation]: socket }),
  }
  if (Object.keys(added).length > 0) vmi.metadata.annotations = { ...added, ...vmi.metadata.annotations }
}
