import { formatMilli, formatQuantity, parseMilli, parseQuantity } from '@kubevirt-ts/api'
import type { Quantity } from '@kubevirt-ts/api'
import { guestMemory, hasDedicatedCpus, memoryOverhead, vcpus } from '@kubevirt-ts/vmispec'
import { devices } from './devices.ts'
import { addVolume } from './draft.ts'
import type { Draft } from './draft.ts'
import type { Launch } from './launch.ts'
import { autoCpuLimit, autoMemoryLimitRatio } from './quota-limits.ts'

interface Resources {
  readonly requests: Record<string, Quantity>
  readonly limits: Record<string, Quantity>
}

type Rule = (resources: Resources, launch: Launch, overhead: bigint) => void

/** Each rule starts from what the ones before it left; the user's own values come first. */
const rules: readonly Rule[] = [ephemeralStorage, memory, hugepages, cpu, dedicatedMemory, quotaMemory]

/** What the compute container asks for and may use. */
export function resources(draft: Draft, launch: Launch): void {
  const { requests, limits } = structuredClone(launch.vmi.spec.domain.resources ?? {})
  const result: Resources = { requests: { ...requests }, limits: { ...limits } }
  const overhead = overheadOf(launch)
  for (const rule of rules) rule(result, launch, overhead)
  devices(draft, result, launch)
  draft.compute.resources = { ...draft.compute.resources, ...result }
  if (launch.isEnabled('VmiMemoryOverheadReport')) {
    draft.annotations['kubevirt.io/memory-overhead-bytes'] = String(overhead)
  }
  if (launch.vmi.spec.domain.memory?.hugepages !== undefined) hugepageFolders(draft)
}

function overheadOf({ vmi, context, architecture }: Launch): bigint {
  const { additionalGuestMemoryOverheadRatio, network } = context.configuration
  return memoryOverhead(vmi.spec, {
    architecture,
    ...(additionalGuestMemoryOverheadRatio === undefined
      ? {}
      : { additionalRatio: additionalGuestMemoryOverheadRatio }),
    ...(network?.binding === undefined ? {} : { bindings: network.binding }),
  })
}

/** Room for what the launcher itself writes. */
function ephemeralStorage({ requests, limits }: Resources): void {
  const own = 50_000_000n
  const key = 'ephemeral-storage'
  requests[key] = formatQuantity(parseQuantity(requests[key] ?? 0) + own, 'DecimalSI')
  const limit = limits[key]
  if (limit !== undefined) limits[key] = formatQuantity(parseQuantity(limit) + own, 'DecimalSI')
}

function memory({ requests, limits }: Resources, launch: Launch, overhead: bigint): void {
  const { vmi } = launch
  const base = requests.memory ?? limits.memory
  const request = base === undefined ? guestRequest(launch) : parseQuantity(base)
  const charged = vmi.spec.domain.resources?.overcommitGuestOverhead ? 0n : overhead
  requests.memory = formatQuantity(request + charged)
  if (limits.memory !== undefined) limits.memory = formatQuantity(parseQuantity(limits.memory) + overhead)
}

/** Guest memory, less where the cluster overcommits it. */
function guestRequest({ vmi, context }: Launch): bigint {
  const overcommit = BigInt(context.configuration.developerConfiguration?.memoryOvercommit ?? 100)
  const { guest, hugepages } = vmi.spec.domain.memory ?? {}
  if (guest !== undefined) return (parseQuantity(guest) * 100n) / overcommit
  return parseQuantity(hugepages?.pageSize ?? 0)
}

/** Guest memory comes from huge pages; ordinary memory is only needed for the rest. */
function hugepages({ requests, limits }: Resources, { vmi }: Launch): void {
  const pageSize = vmi.spec.domain.memory?.hugepages?.pageSize
  if (pageSize === undefined) return
  const asked = vmi.spec.domain.resources?.requests?.memory ?? vmi.spec.domain.resources?.limits?.memory
  const guest = guestMemory(vmi.spec) ?? 0n
  const wanted = asked === undefined || guest < parseQuantity(asked) ? guest : parseQuantity(asked)
  const page = parseQuantity(pageSize)
  const whole = page === 0n ? wanted : ((wanted + page - 1n) / page) * page
  const key = `hugepages-${pageSize}`
  requests[key] = limits[key] = formatQuantity(whole)
  const without = (value: Quantity): string => formatQuantity(parseQuantity(value) - wanted)
  if (requests.memory !== undefined) requests.memory = without(requests.memory)
  if (limits.memory !== undefined) limits.memory = without(limits.memory)
}

function hugepageFolders(draft: Draft): void {
  const folders = { hugepages: '/dev/hugepages', 'hugetblfs-dir': '/dev/hugepages/libvirt/qemu' }
  for (const [name, mountPath] of Object.entries(folders)) {
    addVolume(draft, { name, emptyDir: { medium: 'HugePages' } })
    draft.compute.volumeMounts.push({ name, mountPath })
  }
}

/** Threads of a pool count as CPUs of the pod, whether or not the policy uses the pool. */
function ioThreads({ vmi }: Launch): number {
  return vmi.spec.domain.ioThreads?.supplementalPoolThreadCount ?? 0
}

function cpu({ requests, limits }: Resources, launch: Launch): void {
  const { vmi, context } = launch
  const guestCpus = BigInt(vcpus(vmi.spec))
  const threads = guestCpus + BigInt(ioThreads(launch))
  if (hasDedicatedCpus(vmi.spec)) {
    const whole = threads + emulatorThreads(launch, guestCpus)
    requests.cpu = limits.cpu = formatMilli(whole * 1000n)
    return
  }
  const ratio = BigInt(context.configuration.developerConfiguration?.cpuAllocationRatio ?? 10)
  requests.cpu ??= limits.cpu ?? formatMilli((threads * 1000n) / ratio)
  requests.cpu = formatMilli(parseMilli(requests.cpu))
  if (limits.cpu === undefined && autoCpuLimit(launch)) limits.cpu = formatMilli(threads * 1000n)
}

/** CPUs for QEMU's own thread; two where the guest's are even in number and the cluster wants whole cores. */
function emulatorThreads({ vmi, context }: Launch, guestCpus: bigint): bigint {
  if (vmi.spec.domain.cpu?.isolateEmulatorThread !== true) return 0n
  const even = 'alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity'
  const aligned = vmi.metadata.annotations?.[even] !== undefined || isAligned(context)
  return aligned && guestCpus % 2n === 0n ? 2n : 1n
}

function isAligned({ configuration }: Launch['context']): boolean {
  return configuration.developerConfiguration?.featureGates?.includes('AlignCPUs') ?? false
}

/** Dedicated CPUs need class Guaranteed: the limit is the request. */
function dedicatedMemory({ requests, limits }: Resources, { vmi }: Launch): void {
  if (hasDedicatedCpus(vmi.spec) && requests.memory !== undefined) limits.memory = requests.memory
}

/** A namespace whose quota limits memory admits no pod without a limit. */
function quotaMemory({ requests, limits }: Resources, launch: Launch): void {
  const ratio = autoMemoryLimitRatio(launch)
  if (ratio === undefined || limits.memory !== undefined || requests.memory === undefined) return
  limits.memory = formatQuantity(BigInt(Math.trunc(Number(parseQuantity(requests.memory)) * ratio)))
}
