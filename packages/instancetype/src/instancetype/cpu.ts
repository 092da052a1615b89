import type { CPU, VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec } from '@kubevirt-ts/api'
import type { Draft } from '../draft.ts'
import { topologyOf } from './topology.ts'

const path = 'spec.template.spec.domain'

/** Processors, in the topology that the preference wishes. */
export function applyCpu(
  { spec: { domain } }: Draft,
  { cpu }: VirtualMachineInstancetypeSpec,
  preference: VirtualMachinePreferenceSpec | undefined,
): string[] {
  const set: Partial<CPU> = {
    model: cpu.model,
    dedicatedCpuPlacement: cpu.dedicatedCPUPlacement,
    isolateEmulatorThread: cpu.isolateEmulatorThread,
    numa: cpu.numa,
    realtime: cpu.realtime,
    maxSockets: cpu.maxSockets,
  }
  const own = domain.cpu ?? {}
  const taken = (Object.keys(set) as (keyof CPU)[]).filter((name) => set[name] !== undefined && isSet(own[name]))
  const counted = (['cores', 'sockets', 'threads'] as const).filter((name) => isSet(own[name]))
  const amounts = (['requests', 'limits'] as const).filter((name) => domain.resources?.[name]?.['cpu'] !== undefined)
  const topology = topologyOf(cpu.guest, preference)
  const conflicts = [
    ...[...counted, ...taken].map((name) => `${path}.cpu.${name}`),
    ...amounts.map((name) => `${path}.resources.${name}.cpu`),
    ...(typeof topology === 'string' ? [topology] : []),
  ]
  if (conflicts.length > 0 || typeof topology === 'string') return conflicts
  const given = Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined))
  domain.cpu = { ...own, ...structuredClone(given), ...topology }
  return []
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== 0 && value !== '' && value !== false
}
