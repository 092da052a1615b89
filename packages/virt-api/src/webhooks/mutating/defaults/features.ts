import type { FeatureHyperv, Features } from '@kubevirt-ts/api'
import type { Default } from './default.ts'

type Switch = { enabled?: boolean }

const hypervSwitches = [
  'relaxed',
  'vapic',
  'spinlocks',
  'vpindex',
  'runtime',
  'synic',
  'synictimer',
  'reset',
  'vendorid',
  'frequencies',
  'reenlightenment',
  'tlbflush',
  'ipi',
  'evmcs',
] as const satisfies readonly (keyof FeatureHyperv)[]

type HypervSwitch = (typeof hypervSwitches)[number]

/** What a Hyper-V feature needs; read from top to bottom, so that what is added is followed further. */
export const hypervRequirements: readonly (readonly [feature: HypervSwitch, needs: HypervSwitch])[] = [
  ['evmcs', 'vapic'],
  ['synictimer', 'synic'],
  ['synic', 'vpindex'],
  ['ipi', 'vpindex'],
  ['tlbflush', 'vpindex'],
]

/** A feature that is mentioned is wanted. */
const turnOn = (feature: Switch | undefined) => {
  if (feature) feature.enabled ??= true
}

function switchesOf(features: Features): (Switch | undefined)[] {
  const hyperv = features.hyperv
  return [
    features.acpi,
    features.apic,
    features.smm,
    features.pvspinlock,
    features.hypervPassthrough,
    ...hypervSwitches.map((name) => hyperv?.[name] as Switch | undefined),
    hyperv?.synictimer?.direct,
    hyperv?.tlbflush?.direct,
    hyperv?.tlbflush?.extended,
  ]
}

/** ACPI is on, except on s390x which has none; each feature mentioned is on. */
export const features: Default = ({ spec }) => {
  const wanted = (spec.domain.features ??= { acpi: {} })
  wanted.acpi ??= {}
  if (spec.architecture === 's390x') wanted.acpi.enabled ??= false
  switchesOf(wanted).forEach(turnOn)
  if (wanted.hyperv?.spinlocks?.enabled) wanted.hyperv.spinlocks.spinlocks ??= 4096
}

/** Adds the Hyper-V features that others need, where the user said nothing about them. */
export const hypervDependencies: Default = ({ spec }) => {
  const hyperv = spec.domain.features?.hyperv
  if (!hyperv) return
  for (const [feature, needs] of hypervRequirements) {
    if (hyperv[feature]?.enabled) hyperv[needs] ??= { enabled: true }
  }
  if (!hyperv.evmcs?.enabled) return
  const cpu = (spec.domain.cpu ??= {})
  const vmx = cpu.features?.find(({ name }) => name === 'vmx')
  if (vmx) {
    vmx.policy = 'require'
    return
  }
  cpu.features = [...(cpu.features ?? []), { name: 'vmx', policy: 'require' }]
}
