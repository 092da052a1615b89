import type {
  VirtualMachineInstanceSpec,
  VirtualMachineInstancetypeSpec,
  VirtualMachinePreferenceSpec,
} from '@kubevirt-ts/api'
import type { Referenced } from '../../referenced.ts'
import { notFound } from '../cause.ts'
import type { Cause } from '../cause.ts'
import { bytes } from '../quantities.ts'

type Side = 'sockets' | 'cores' | 'threads'

/** What the preference asks for and is not there: the fields to blame, and why. */
interface Lack {
  readonly fields: readonly string[]
  readonly why: string
}

const domainField = 'spec.template.spec.domain'

/** The first requirement of the preference that neither the instance type nor the template, with its defaults, meets. */
export function preferenceRequirements(
  spec: VirtualMachineInstanceSpec,
  { preference, instancetype }: Referenced,
): Cause[] {
  if (!preference?.requirements) return []
  const lack =
    lackOfCpu(preference, instancetype, spec) ??
    lackOfMemory(preference, instancetype, spec) ??
    otherArchitecture(preference, spec)
  return lack ? [notFound(lack.fields.join(', '), `failure checking preference requirements: ${lack.why}`)] : []
}

function lackOfCpu(
  preference: VirtualMachinePreferenceSpec,
  instancetype: VirtualMachineInstancetypeSpec | undefined,
  { domain }: VirtualMachineInstanceSpec,
): Lack | undefined {
  const wanted = preference.requirements?.cpu?.guest
  if (wanted === undefined) return undefined
  if (instancetype) {
    const why = `insufficient CPU resources of ${instancetype.cpu.guest} vCPU provided by instance type, preference requires ${wanted} vCPU`
    return instancetype.cpu.guest < wanted ? { fields: ['spec.instancetype'], why } : undefined
  }
  const sides = countedSides(preference)
  const given = sides.reduce((product, side) => product * (domain.cpu?.[side] ?? 0), 1)
  if (given >= wanted) return undefined
  return {
    fields: sides.map((side) => `${domainField}.cpu.${side}`),
    why: `insufficient CPU resources of ${given} vCPU provided by VirtualMachine, preference requires ${wanted} vCPU provided as ${sides.join(' and ')}`,
  }
}

/** Old names of topologies begin with `prefer`. */
const plainTopology = (name: string) => name.replace(/^prefer/, '').toLowerCase()

/** What counts as a processor where the preference has its say about the topology. */
function countedSides({ cpu }: VirtualMachinePreferenceSpec): readonly Side[] {
  switch (plainTopology(cpu?.preferredCPUTopology ?? 'sockets')) {
    case 'cores':
      return ['cores']
    case 'threads':
      return ['threads']
    case 'any':
      return ['cores', 'sockets', 'threads']
    case 'spread':
      return spreadSides[cpu?.spreadOptions?.across ?? 'SocketsCores'] ?? spreadSides['SocketsCores']!
    default:
      return ['sockets']
  }
}

const spreadSides: Readonly<Record<string, readonly Side[]>> = {
  SocketsCores: ['sockets', 'cores'],
  CoresThreads: ['cores', 'threads'],
  SocketsCoresThreads: ['sockets', 'cores', 'threads'],
}

function lackOfMemory(
  preference: VirtualMachinePreferenceSpec,
  instancetype: VirtualMachineInstancetypeSpec | undefined,
  { domain }: VirtualMachineInstanceSpec,
): Lack | undefined {
  const wanted = preference.requirements?.memory?.guest
  const given = instancetype ? instancetype.memory.guest : domain.memory?.guest
  if (wanted === undefined || given === undefined || bytes(given)! >= bytes(wanted)!) return undefined
  return {
    fields: [instancetype ? 'spec.instancetype' : `${domainField}.memory`],
    why: `insufficient Memory resources of ${given} provided by ${instancetype ? 'instance type' : 'VirtualMachine'}, preference requires ${wanted}`,
  }
}

function otherArchitecture(
  { requirements }: VirtualMachinePreferenceSpec,
  { architecture }: VirtualMachineInstanceSpec,
): Lack | undefined {
  const wanted = requirements?.architecture
  if (wanted === undefined || wanted === architecture) return undefined
  return {
    fields: ['spec.template.spec.architecture'],
    why: `preference requires architecture ${wanted}, VirtualMachine has ${architecture}`,
  }
}
