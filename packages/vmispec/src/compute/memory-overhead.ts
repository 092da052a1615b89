import { parseQuantity } from '@kubevirt-ts/api'
import type { InterfaceBindingPlugin, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { hasDedicatedCpus, isGuaranteed } from './quality-of-service.ts'
import { vcpus } from './vcpus.ts'

const Mi = 1024n * 1024n

export interface OverheadSettings {
  /** Architecture where the spec names none. */
  readonly architecture?: string
  /** `additionalGuestMemoryOverheadRatio` of the KubeVirt resource; "1" adds nothing. */
  readonly additionalRatio?: string
  /** `network.binding` of the KubeVirt resource. */
  readonly bindings?: Readonly<Record<string, InterfaceBindingPlugin>>
}

/** The thread of the main loop; more of them are not counted. */
const ioThread = 8n * Mi

type Term = (spec: VirtualMachineInstanceSpec, settings: OverheadSettings) => bigint

/** The processes of a launcher pod: monitor, launcher, log daemon, libvirt daemon, QEMU without its guest. */
const processes: Term = () => (25n + 100n + 25n + 40n + 50n) * Mi

const terms: readonly Term[] = [
  pageTables,
  processes,
  (spec) => BigInt(vcpus(spec)) * 8n * Mi,
  () => ioThread,
  (spec) => (spec.domain.devices.autoattachGraphicsDevice === false ? 0n : 32n * Mi),
  (spec, { architecture }) => ((spec.architecture ?? architecture) === 'arm64' ? 128n * Mi : 0n),
  (spec) => (usesVfio(spec) ? 1024n * Mi : 0n),
  (spec) => (spec.volumes?.some(({ downwardMetrics }) => downwardMetrics) ? Mi : 0n),
  probes,
  (spec) => (spec.domain.launchSecurity?.sev || spec.domain.launchSecurity?.snp ? 256n * Mi : 0n),
  (spec) => (spec.domain.devices.tpm && spec.domain.devices.tpm.enabled !== false ? 53n * Mi : 0n),
  (spec) => (hasDedicatedCpus(spec) || isGuaranteed(spec) ? 100n * Mi : 0n),
  (spec) => parseQuantity(spec.domain.memory?.reservedOverhead?.addedOverhead ?? 0),
]

/**
 * Bytes that a launcher pod needs besides its guest's memory. The amounts are KubeVirt's: clusters are sized by
 * them, so that our smaller processes do not lower them.
 */
export function memoryOverhead(spec: VirtualMachineInstanceSpec, settings: OverheadSettings = {}): bigint {
  const sum = terms.reduce((total, term) => total + term(spec, settings), 0n)
  return withRatio(sum, settings.additionalRatio) + networkBindings(spec, settings)
}

/** One bit of page table for 512 of memory; only a request counts, guest memory alone does not. */
function pageTables(spec: VirtualMachineInstanceSpec): bigint {
  const request = spec.domain.resources?.requests?.memory
  if (request === undefined) return 0n
  return (((parseQuantity(request) + 999n) / 1000n) * 1000n) / 512n
}

/** Whether the guest drives devices of the host by itself, which need its memory to stay where it is. */
export function usesVfio({ domain }: VirtualMachineInstanceSpec): boolean {
  const { hostDevices, gpus, interfaces } = domain.devices
  return Boolean(hostDevices?.length || gpus?.length || interfaces?.some(({ sriov }) => sriov))
}

function probes({ livenessProbe, readinessProbe }: VirtualMachineInstanceSpec): bigint {
  const execs = [livenessProbe, readinessProbe].filter((probe) => probe?.exec).length
  return execs === 0 ? 0n : (100n + BigInt(execs) * 10n) * Mi
}

/** The ratio is applied to kilobytes, rounded up; a text that is no number changes nothing. */
function withRatio(overhead: bigint, ratio: string | undefined): bigint {
  const factor = Number(ratio ?? 1)
  if (!Number.isFinite(factor) || factor === 1) return overhead
  return overhead + BigInt(Math.trunc(Math.ceil(Number(overhead) / 1000) * (factor - 1))) * 1000n
}

function networkBindings(spec: VirtualMachineInstanceSpec, { bindings = {} }: OverheadSettings): bigint {
  const interfaces = spec.domain.devices.interfaces ?? []
  const passt = interfaces.some(({ passtBinding }) => passtBinding) ? 250n * Mi : 0n
  const plugins = new Set(interfaces.flatMap(({ binding }) => (binding ? [binding.name] : [])))
  return [...plugins].reduce(
    (total, name) => total + parseQuantity(bindings[name]?.computeResourceOverhead?.requests?.memory ?? 0),
    passt,
  )
}
