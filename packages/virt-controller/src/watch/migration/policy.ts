import type {
  KubeVirtConfiguration,
  MigrationPolicy,
  VMIMConfigurationOptions,
  VirtualMachineInstance,
} from '@kubevirt-ts/api'

type Labels = Readonly<Record<string, string>>

/** How the nodes' agents are to move a guest. */
export interface MigrationSettings {
  readonly migrationConfiguration: VMIMConfigurationOptions
  readonly migrationPolicyName?: string
}

/** The cluster's settings, overridden by the policy that fits the guest best, if any does. */
export function settingsFor(
  vmi: VirtualMachineInstance,
  namespaceLabels: Labels,
  policies: readonly MigrationPolicy[],
  { migrations }: KubeVirtConfiguration,
): MigrationSettings {
  const policy = bestPolicy(vmi.metadata.labels ?? {}, namespaceLabels, policies)
  if (policy === undefined) return { migrationConfiguration: { ...migrations } }
  const { selectors: _selectors, ...wishes } = policy.spec
  const { allowPostCopy, allowWorkloadDisruption } = wishes
  return {
    // Post-copy disrupts by itself, so allowing the one allows the other unless told.
    migrationConfiguration: {
      ...migrations,
      ...(allowPostCopy !== undefined && allowWorkloadDisruption === undefined
        ? { allowWorkloadDisruption: allowPostCopy }
        : {}),
      ...wishes,
    },
    migrationPolicyName: policy.metadata.name,
  }
}

/** Of all that match: the one with the most labels, then with the most of the guest's, then the first by name. */
function bestPolicy(vmi: Labels, namespace: Labels, policies: readonly MigrationPolicy[]): MigrationPolicy | undefined {
  const fitting = policies.flatMap((policy) => {
    const { virtualMachineInstanceSelector = {}, namespaceSelector = {} } = policy.spec.selectors ?? {}
    const ofVmi = matched(virtualMachineInstanceSelector, vmi)
    const ofNamespace = matched(namespaceSelector, namespace)
    if (ofVmi === undefined || ofNamespace === undefined || ofVmi + ofNamespace === 0) return []
    return [{ policy, ofVmi, all: ofVmi + ofNamespace }]
  })
  const name = ({ policy }: { policy: MigrationPolicy }): string => policy.metadata.name
  return fitting.toSorted((a, b) => b.all - a.all || b.ofVmi - a.ofVmi || (name(a) < name(b) ? -1 : 1))[0]?.policy
}

/** How many labels the selector asks for; undefined where one is not met. */
function matched(selector: Labels, labels: Labels): number | undefined {
  const wanted = Object.entries(selector)
  return wanted.every(([key, value]) => labels[key] === value) ? wanted.length : undefined
}
