import type { CPUTopology, VirtualMachinePreferenceSpec } from '@kubevirt-ts/api'

const defaultRatio = 2
const threadsPerCore = 2

/**
 * Sockets, cores and threads for a number of processors; sockets unless the preference wishes else. The field of the
 * preference that cannot be met where they cannot be spread evenly.
 */
export function topologyOf(
  guest: number,
  preference: VirtualMachinePreferenceSpec | undefined,
): Required<CPUTopology> | string {
  switch (preference?.cpu?.preferredCPUTopology) {
    case 'cores':
    case 'preferCores':
      return { sockets: 1, cores: guest, threads: 1 }
    case 'threads':
    case 'preferThreads':
      return { sockets: 1, cores: 1, threads: guest }
    case 'spread':
    case 'preferSpread':
      return spread(guest, preference)
    default:
      return { sockets: guest, cores: 1, threads: 1 }
  }
}

function spread(guest: number, preference: VirtualMachinePreferenceSpec): Required<CPUTopology> | string {
  const options = preference.cpu?.spreadOptions
  const ratio = options?.ratio || preference.preferSpreadSocketToCoreRatio || defaultRatio
  const even = (parts: number, topology: Required<CPUTopology>): Required<CPUTopology> | string =>
    guest % parts === 0 ? topology : 'spec.cpu.spreadOptions.ratio'
  switch (options?.across) {
    case 'CoresThreads':
      return even(ratio, { sockets: 1, cores: guest / ratio, threads: ratio })
    case 'SocketsCoresThreads': {
      const parts = ratio * threadsPerCore
      return even(parts, { sockets: guest / parts, cores: ratio, threads: threadsPerCore })
    }
    default:
      return even(ratio, { sockets: guest / ratio, cores: ratio, threads: 1 })
  }
}
