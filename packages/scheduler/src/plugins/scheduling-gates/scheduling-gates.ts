import type { PluginFactory } from '../../framework/registry.ts'
import { statusOf } from '../../framework/status.ts'

/** Keeps a pod out of the queue while it has scheduling gates. */
export const schedulingGates: PluginFactory = {
  name: 'SchedulingGates',
  create: () => ({
    name: 'SchedulingGates',
    preEnqueue: (pod) => {
      const gates = (pod.spec.schedulingGates ?? []).map(({ name }) => name)
      if (gates.length === 0) return statusOf('Success')
      return statusOf('UnschedulableAndUnresolvable', `waiting for scheduling gates: [${gates.join(' ')}]`)
    },
    // Removing a gate is a change of the pod itself, which always wakes it.
    isHelpful: () => false,
  }),
}
