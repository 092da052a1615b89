import type { VirtualMachine } from '@kubevirt-ts/api'
import { homeAnnotation, homePolicies, type HomePolicy } from '@kubevirt-ts/scheduling'
import type { PluginArguments } from '../../framework/registry.ts'

export interface StickySettings {
  /** The annotation that holds the home node. */
  readonly nodeAnnotation: string
  /** For VMs without the annotation of a policy. */
  readonly policy: HomePolicy
  /** Whether a VM with policy `preferred` that had to start elsewhere gets its home there. */
  readonly whenElsewhere: 'move' | 'keep'
  /** Whether a live migration takes the home along. */
  readonly whenMigrated: 'move' | 'keep'
}

export function settingsOf(args: PluginArguments | undefined): StickySettings {
  const given = args?.fields('apiVersion', 'kind', 'stickyAnnotationKey', 'policy', 'whenElsewhere', 'whenMigrated')
  return {
    nodeAnnotation: given?.stickyAnnotationKey?.string() ?? homeAnnotation.node,
    policy: given?.policy?.oneOf(...homePolicies) ?? 'required',
    whenElsewhere: given?.whenElsewhere?.oneOf('move', 'keep') ?? 'keep',
    whenMigrated: given?.whenMigrated?.oneOf('move', 'keep') ?? 'keep',
  }
}

/** The VM's own policy, or the profile's. A word that is no policy counts as the profile's; the reason tells so. */
export function policyOf(
  vm: VirtualMachine,
  settings: StickySettings,
): { readonly policy: HomePolicy; readonly unknown?: string } {
  const own = vm.metadata.annotations?.[homeAnnotation.policy]
  if (own === undefined || own === '') return { policy: settings.policy }
  const policy = homePolicies.find((each) => each === own)
  return policy === undefined ? { policy: settings.policy, unknown: own } : { policy }
}
