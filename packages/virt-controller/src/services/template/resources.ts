import { canonicalQuantity, formatMilli, formatQuantity, parseMilli, parseQuantity } from '@kubevirt-ts/api'
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
const rules: readonly Rule[] = [ephemeralStorage, cpu, memory, overheads, quotaMemory]

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

/** Dedicated CPUs need class Guaranteed: the limit is the request. */
function memory({ requests, limits }: Resources, launch: Launch): void {
  const [asked = 0n, limit = 0n] = [requests.memory, limits.memory].map((value) => value && parseQuantity(value))
  const unasked = requests.memory === undefined ? guestRequest(launch) : 0n
  requests.memory = formatQuantity(asked || limit || unasked)
  if (hasDedicatedCpus(launch.vmi.spec)) limits.memory = requests.memory
}

/** Guest memory, less where the cluster overcommits it. */
function guestRequest({ vmi, context }: Launch): bigint {
  const overcommit = BigInt(context.configuration.developerConfiguration?.memoryOvercommit ?? 100)
  const { guest, hugepages } = vmi.spec.domain.memory ?? {}
  if (guest !== undefined) return (parseQuantity(guest) * 100n) / overcommit
  return parseQuantity(hugepages?.pageSize ?? 0)
}

/** What the processes around the guest need comes on top; with huge pages only that is ordinary memory. */
function overheads({ requests, limits }: Resources, { vmi }: Launch, overhead: bigint): void {
  const { memory, resources } = vmi.spec.domain
  const asked = parseQuantity(requests.memory ?? 0)
  const limit = limits.memory === undefined ? undefined : parseQuantity(limits.memory)
  const pageSize = memory?.hugepages?.pageSize
  if (pageSize === undefined) {
    requests.memory = formatQuantity(resources?.overcommitGuestOverhead ? asked : asked + overhead)
    if (limit !== undefined) limits.memory = formatQuantity(limit + overhead)
    return
  }
  const guest = guestMemory(vmi.spec) ?? 0n
  const beyondGuest = (value: bigint): string => formatQuantity((value > guest ? value - guest : 0n) + overhead)
  const key = `hugepages-${pageSize}`
  requests[key] = limits[key] = formatQuantity(asked > guest ? guest : asked)
  requests.memory = beyondGuest(asked)
  if (limit !== undefined) limits.memory = beyondGuest(limit)
}

function hugepageFolders(draft: Draft): void {
  const folders = { hugepages: '/dev/hugepages', 'hugetblfs-dir': '/dev/hugepages/libvirt/qemu' }
  for (const [name, mountPath] of Object.entries(folders)) {
    addVolume(draft, { name, emptyDir: { medium: 'HugePages' } })
    draft.compute.volumeMounts.push({ name, mountPath })
  }
}

/** Threads of a pool count as CPUs of the pod. */
function poolThreads({ vmi }: Launch): number {
  const { ioThreadsPolicy, ioThreads } = vmi.spec.domain
  return ioThreadsPolicy === 'supplementalPool' ? (ioThreads?.supplementalPoolThreadCount ?? 0) : 0
}

const nano = 1_000_000_000n

function cpu({ requests, limits }: Resources, launch: Launch): void {
  const { vmi, context } = launch
  const threads = BigInt(vcpus(vmi.spec)) + BigInt(poolThreads(launch))
  if (hasDedicatedCpus(vmi.spec)) {
    const whole = threads + emulatorThreads(launch, threads)
    requests.cpu = limits.cpu = formatMilli(whole * 1000n)
    return
  }
  const ratio = BigInt(context.configuration.developerConfiguration?.cpuAllocationRatio ?? 10)
  const asked = requests.cpu ?? limits.cpu
  requests.cpu =
    asked === undefined
      ? canonicalQuantity(`${(threads * nano + ratio - 1n) / ratio}n`)
      : formatMilli(parseMilli(asked))
  if (limits.cpu === undefined && autoCpuLimit(launch)) limits.cpu = formatMilli(threads * 1000n)
}

/** CPUs for QEMU's own thread; two where all others are even in number and the cluster wants whole cores. */
function emulatorThreads({ vmi, context }: Launch, others: bigint): bigint {
  if (vmi.spec.domain.cpu?.isolateEmulatorThread !== true) return 0n
  const even = 'alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity'
  const aligned = vmi.metadata.annotations?.[even] !== undefined || isAligned(context)
  return aligned && others % 2n === 0n ? 2n : 1n
}

function isAligned({ configuration }: Launch['context']): boolean {
  return configuration.developerConfiguration?.featureGates?.includes('AlignCPUs') ?? false
}

/** A namespace whose quota limits memory admits no pod without a limit. */
function quotaMemory({ requests, limits }: Resources, launch: Launch): void {
  const ratio = autoMemoryLimitRatio(launch)
  if (ratio === undefined || limits.memory !== undefined || requests.memory === undefined) return
  limits.memory = formatQuantity(BigInt(Math.trunc(Number(parseQuantity(requests.memory)) * ratio)))
}
