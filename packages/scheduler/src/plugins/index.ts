import type { PluginFactory } from '../framework/registry.ts'
import { defaultBinder } from './default-binder/default-binder.ts'
import { defaultPreemption } from './default-preemption/default-preemption.ts'
import { dynamicResources } from './dynamic-resources/dynamic-resources.ts'
import { inTreePlugins } from './in-tree/index.ts'
import { prioritySort } from './priority-sort/priority-sort.ts'
import { schedulingGates } from './scheduling-gates/scheduling-gates.ts'
import { stickyVm } from './sticky-vm/sticky-vm.ts'
import { volumeBinding } from './volume-binding/volume-binding.ts'

/** Every plugin that profiles may name. */
export const plugins: readonly PluginFactory[] = [
  schedulingGates,
  prioritySort,
  ...inTreePlugins,
  volumeBinding,
  dynamicResources,
  defaultPreemption,
  defaultBinder,
  stickyVm,
]
