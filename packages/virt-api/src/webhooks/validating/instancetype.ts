import { parseQuantity } from '@kubevirt-ts/api'
import type { KubeObject, VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec } from '@kubevirt-ts/api'
import { invalid, notSupported, oneOf, when } from './cause.ts'
import type { KindRule } from './of-kind.ts'

type Instancetype = KubeObject & { readonly spec: VirtualMachineInstancetypeSpec }
type Preference = KubeObject & { readonly spec: VirtualMachinePreferenceSpec }

const overcommit: KindRule<Instancetype> = ({ object: { spec } }) => {
  const { overcommitPercent = 0, hugepages } = spec.memory ?? {}
  const field = 'spec.memory.overcommitPercent'
  return [
    ...when(overcommitPercent < 0 || overcommitPercent > 100, () =>
      invalid(field, `overcommitPercent should be between 0 and 100; it is ${overcommitPercent}`),
    ),
    ...when(overcommitPercent !== 0 && hugepages !== undefined, () =>
      invalid(field, 'overcommitPercent and hugepages should not be requested together; huge pages are never shared'),
    ),
  ]
}

const limits: KindRule<Instancetype> = ({ object: { spec } }) => {
  const { guest, maxGuest } = spec.memory ?? {}
  const { maxSockets, guest: vcpus } = spec.cpu ?? {}
  const tooSmall = guest !== undefined && maxGuest !== undefined && parseQuantity(maxGuest) < parseQuantity(guest)
  return [
    ...when(tooSmall, () =>
      invalid('spec.memory.maxGuest', `maxGuest ${maxGuest} must not be less than guest ${guest}`),
    ),
    ...when(maxSockets !== undefined && maxSockets < vcpus, () =>
      invalid('spec.cpu.maxSockets', `maxSockets ${maxSockets} must not be less than the ${vcpus} vCPUs of guest`),
    ),
  ]
}

export const instancetypeRules: readonly KindRule<Instancetype>[] = [overcommit, limits]

const shortTopologies = ['sockets', 'cores', 'threads', 'spread', 'any']
const topologies = [
  ...shortTopologies,
  ...shortTopologies.map((name) => `prefer${name[0]!.toUpperCase()}${name.slice(1)}`),
]

const topology: KindRule<Preference> = ({ object: { spec } }) => {
  const wanted = spec.cpu?.preferredCPUTopology
  return when(Boolean(wanted) && !topologies.includes(wanted!), () =>
    invalid('spec.cpu.preferredCPUTopology', `unknown preferredCPUTopology ${wanted}; ${oneOf(shortTopologies)}`),
  )
}

const spreads = ['SocketsCores', 'SocketsCoresThreads', 'CoresThreads']

const spread: KindRule<Preference> = ({ object: { spec } }) => {
  const { across, ratio } = spec.cpu?.spreadOptions ?? {}
  if (across !== undefined && across !== '' && !spreads.includes(across)) {
    return [notSupported('spec.cpu.spreadOptions.across', `across ${across} is not supported; ${oneOf(spreads)}`)]
  }
  return when(across === 'CoresThreads' && ratio !== undefined && ratio !== 2, () =>
    invalid(
      'spec.cpu.spreadOptions.ratio',
      'only a ratio of 2 (1 core 2 threads) is allowed when spreading vCPUs over cores and threads',
    ),
  )
}

export const preferenceRules: readonly KindRule<Preference>[] = [topology, spread]
