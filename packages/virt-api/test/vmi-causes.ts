import type { VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { isGateEnabled, mergeConfiguration } from '@kubevirt-ts/virt-config'
import type { FeatureGateName } from '@kubevirt-ts/virt-config'
import { specRules } from '../src/webhooks/validating/vmi/index.ts'

/** `reason field` of each cause of a VMI that is well but for what is given. */
export function causesOf(given: object, domain: object = {}, gates: readonly string[] = []): string[] {
  const configuration = mergeConfiguration({ developerConfiguration: { featureGates: [...gates] } })
  const spec = {
    architecture: 'amd64',
    ...given,
    domain: { devices: {}, memory: { guest: '128Mi' }, resources: { requests: { memory: '128Mi' } }, ...domain },
  } as VirtualMachineInstanceSpec
  const subject = {
    spec,
    field: 'spec',
    metadata: {},
    metadataField: 'metadata',
    settings: { configuration, isEnabled: (gate: FeatureGateName) => isGateEnabled(configuration, gate) },
    byKubeVirt: false,
  }
  return specRules.flatMap((rule) => rule(subject)).map(({ reason, field }) => `${reason} ${field}`)
}
