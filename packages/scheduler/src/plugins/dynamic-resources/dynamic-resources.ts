import type { PluginFactory } from '../../framework/registry.ts'
import { statusOf } from '../../framework/status.ts'

/** Resource claims are not built yet: a pod with some is refused in words instead of being put where it cannot run. */
export const dynamicResources: PluginFactory = {
  name: 'DynamicResources',
  create: () => ({
    name: 'DynamicResources',
    preFilter: (pod) => {
      const claims = pod.spec.resourceClaims ?? []
      if (claims.length === 0) return { status: statusOf('Skip') }
      const names = claims.map(({ name }) => name).join(', ')
      const message = `this scheduler cannot allocate resource claims yet (${names}); use another schedulerName`
      return { status: statusOf('UnschedulableAndUnresolvable', message) }
    },
    filter: () => statusOf('Success'),
    // kube-scheduler 1.34 says so to every pod that fits nowhere, whether it has claims or not.
    postFilter: () => ({ status: statusOf('Unschedulable', 'no new claims to deallocate') }),
    isHelpful: () => false,
  }),
}
