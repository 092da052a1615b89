import type { FeatureGateName } from '@kubevirt-ts/virt-config'
import type { Admitter } from '../admitter.ts'

/** Refuses new objects of a kind that is switched off, in the words that clients know; old ones may be cleared away. */
export const gated =
  (gate: FeatureGateName, message: string, admit: Admitter): Admitter =>
  (request, context) =>
    request.operation === 'CREATE' && !context.settings.isEnabled(gate)
      ? { denied: { code: 400, message: `${message}: enable ${gate} in the KubeVirt resource` } }
      : admit(request, context)
