import { annotation } from '@kubevirt-ts/api'
import type { Pod } from '@kubevirt-ts/api'

/**
 * The pod that stands in for a launcher while its claims are filled: the scheduler finds the node that the guest would
 * get, and being the claims' first consumer is all it does. Pure.
 */
export function temporaryPod({ metadata, spec }: Pod): Pod {
  const [compute, ...others] = spec.containers
  const idle = compute === undefined ? [] : [{ ...compute, command: ['/bin/bash'], args: ['-c', 'echo', 'bound PVCs'] }]
  return {
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotation.ephemeralProvisioning]: 'true' } },
    spec: { ...spec, containers: [...idle, ...others] },
  }
}
