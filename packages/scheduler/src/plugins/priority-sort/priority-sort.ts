import { priorityOf } from '@kubevirt-ts/scheduling'
import type { PluginFactory } from '../../framework/registry.ts'

/** Higher priority first, then who has waited longer. */
export const prioritySort: PluginFactory = {
  name: 'PrioritySort',
  create: () => ({
    name: 'PrioritySort',
    less: (a, b) => {
      const difference = priorityOf(b.pod) - priorityOf(a.pod)
      return difference === 0 ? a.queuedAt < b.queuedAt : difference < 0
    },
  }),
}
