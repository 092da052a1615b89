import { parseMilli } from '@kubevirt-ts/api'
import type { CPU, Quantity } from '@kubevirt-ts/api'
import { maxHotplugRatio, updatesLive } from './live-update.ts'
import type { Default } from './default.ts'

/** The most vCPUs that a defaulted maxSockets may add up to. */
const maxVcpus = 512

const wholeCpus = (cpu: Quantity) => Number((parseMilli(cpu) + 999n) / 1000n)

/** Sockets from the limit, else the request, else 1. A topology given in part is left as it is. */
export const cpuTopology: Default = ({ spec: { domain } }) => {
  if (domain.cpu?.cores || domain.cpu?.sockets || domain.cpu?.threads) return
  const cpus = domain.resources?.limits?.['cpu'] ?? domain.resources?.requests?.['cpu']
  const sockets = (cpus !== undefined && wholeCpus(cpus)) || 1
  domain.cpu = { ...domain.cpu, cores: 1, sockets, threads: 1 }
}

/** The model of the KubeVirt resource, else the host's own (arm64 knows no host-model). */
export const cpuModel: Default = ({ spec }, { configuration }) => {
  const cpu = (spec.domain.cpu ??= {})
  cpu.model ||= configuration.cpuModel || (spec.architecture === 'arm64' ? 'host-passthrough' : 'host-model')
}

/** The topology the guest starts with. */
export const cpuStatus: Default = (vmi) => {
  const { cores, sockets, threads } = vmi.spec.domain.cpu ?? {}
  const topology = { ...(cores && { cores }), ...(sockets && { sockets }), ...(threads && { threads }) }
  vmi.status = { ...vmi.status, currentCPUTopology: topology }
}

/** Sockets times the ratio, within the most vCPUs. Only a topology given whole can be capped. */
function grown({ cores = 0, sockets = 0, threads = 0 }: CPU, ratio: number): number {
  const perSocket = cores * threads
  return perSocket * sockets * ratio > maxVcpus ? Math.floor(maxVcpus / perSocket) : sockets * ratio
}

/** Sockets to grow to while running: as many as the cluster says, else several times those at boot. */
export const maxSockets: Default = (vmi, settings) => {
  const cpu = vmi.spec.domain.cpu
  if (!updatesLive(vmi, settings) || !cpu || cpu.maxSockets) return
  const sockets = cpu.sockets ?? 0
  const most = settings.configuration.liveUpdateConfiguration?.maxCpuSockets || grown(cpu, maxHotplugRatio(settings))
  const max = Math.max(most, sockets)
  if (max > 0) cpu.maxSockets = max
}
