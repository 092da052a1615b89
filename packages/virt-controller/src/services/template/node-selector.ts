import type { FeatureHyperv } from '@kubevirt-ts/api'
import { hasDedicatedCpus } from '@kubevirt-ts/vmispec'
import type { Draft } from './draft.ts'
import type { Launch } from './launch.ts'

type Selector = (launch: Launch) => Readonly<Record<string, string>>

const yes = 'true'

/** Later selectors win over earlier ones. */
const selectors: readonly Selector[] = [schedulable, ofUsers, cpu, machineType, hyperv, tscFrequency, launchSecurity]

/** Nodes that can run the guest, by the labels that node agents keep. */
export function nodeSelector({ spec }: Draft, launch: Launch): void {
  spec.nodeSelector = Object.assign({}, ...selectors.map((select) => select(launch))) as Record<string, string>
}

function schedulable({ architecture, isEnabled }: Launch): Record<string, string> {
  const [label, value] = isEnabled('CrossArchitectureVirtualization')
    ? [`kubevirt.io/vm-arch-${architecture}`, yes]
    : ['kubernetes.io/arch', architecture]
  return { 'kubevirt.io/schedulable': yes, [label]: value }
}

function ofUsers({ vmi, context }: Launch): Record<string, string> {
  return { ...context.configuration.developerConfiguration?.nodeSelectors, ...vmi.spec.nodeSelector }
}

function cpu({ vmi }: Launch): Record<string, string> {
  const { model, features = [], realtime } = vmi.spec.domain.cpu ?? {}
  const required = features.filter(({ policy }) => !policy || policy === 'require')
  return {
    ...(hasDedicatedCpus(vmi.spec) ? { 'kubevirt.io/cpumanager': yes } : {}),
    ...(isNamedModel(model) ? { [`cpu-model.node.kubevirt.io/${model}`]: yes } : {}),
    ...Object.fromEntries(required.map(({ name }) => [`cpu-feature.node.kubevirt.io/${name}`, yes])),
    ...(realtime === undefined ? {} : { 'kubevirt.io/realtime': yes }),
  }
}

function isNamedModel(model: string | undefined): boolean {
  return model !== undefined && model !== '' && model !== 'host-model' && model !== 'host-passthrough'
}

function machineType({ vmi }: Launch): Record<string, string> {
  const type = vmi.status?.machine?.type || vmi.spec.domain.machine?.type
  return type ? { [`machine-type.node.kubevirt.io/${type}`]: yes } : {}
}

const hypervFeatures = [
  'vpindex',
  'runtime',
  'reset',
  'synic',
  'synictimer',
  'frequencies',
  'reenlightenment',
  'tlbflush',
  'ipi',
] as const satisfies readonly (keyof FeatureHyperv)[]

function hyperv({ vmi, isEnabled }: Launch): Record<string, string> {
  const features = vmi.spec.domain.features?.hyperv
  if (features === undefined || !isEnabled('HypervStrictCheck')) return {}
  const isOn = (state: { enabled?: boolean } | undefined): boolean => state !== undefined && state.enabled !== false
  const wanted = hypervFeatures.filter((feature) => isOn(features[feature]))
  return {
    ...Object.fromEntries(wanted.map((feature) => [`hyperv.node.kubevirt.io/${feature}`, yes])),
    ...(isOn(features.evmcs) ? { 'cpu-vendor.node.kubevirt.io/Intel': yes } : {}),
  }
}

function tscFrequency({ vmi }: Launch): Record<string, string> {
  const frequency = vmi.status?.topologyHints?.tscFrequency
  return frequency === undefined ? {} : { [`scheduling.node.kubevirt.io/tsc-frequency-${frequency}`]: yes }
}

function launchSecurity({ vmi, architecture }: Launch): Record<string, string> {
  const security = vmi.spec.domain.launchSecurity
  if (security === undefined) return {}
  if (architecture === 's390x') return { 'kubevirt.io/s390-pv': yes }
  return {
    ...(security.sev || security.snp ? { 'kubevirt.io/sev': yes } : {}),
    ...(security.sev?.policy?.encryptedState ? { 'kubevirt.io/sev-es': yes } : {}),
    ...(security.snp ? { 'kubevirt.io/sev-snp': yes } : {}),
    ...(security.tdx ? { 'kubevirt.io/tdx': yes } : {}),
  }
}
