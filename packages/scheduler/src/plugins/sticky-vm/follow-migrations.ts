import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { controllerOf, keyFor } from '@kubevirt-ts/controller'
import type { PluginServices } from '../../framework/registry.ts'
import type { Homes } from './homes.ts'
import { policyOf, type StickySettings } from './settings.ts'

export interface FollowOptions {
  readonly homes: Homes
  readonly settings: StickySettings
  readonly services: PluginServices
}

/** A VM that was migrated live lives where it arrived. VMs without a home, or with policy off, stay as they are. */
export function followMigrations(options: FollowOptions, signal: AbortSignal): void {
  const end = options.services.instances.on?.({
    updated: (before, after) => {
      if (hasArrived(after) && !hasArrived(before)) void moveHome(after, options)
    },
  })
  signal.addEventListener('abort', () => end?.(), { once: true })
}

/** The guest runs on the node that the last migration went to. */
function hasArrived({ status }: VirtualMachineInstance): boolean {
  const { completed, failed, targetNode } = status?.migrationState ?? {}
  return completed === true && failed !== true && targetNode !== undefined && targetNode === status?.nodeName
}

async function moveHome(instance: VirtualMachineInstance, { homes, settings, services }: FollowOptions): Promise<void> {
  const { namespace } = instance.metadata
  const node = instance.status?.nodeName ?? ''
  const owner = controllerOf(instance)
  const vm = owner?.kind === 'VirtualMachine' ? services.virtualMachines.get(keyFor(namespace, owner.name)) : undefined
  if (vm === undefined || vm.metadata.uid !== owner?.uid || policyOf(vm, settings).policy === 'off') return
  const home = homes.of(vm)
  if (home === undefined || home === node) return
  const log = services.log.child({ vm: `${namespace}/${vm.metadata.name}`, plugin: 'StickyVM' })
  try {
    const now = await homes.remember(vm, node, { replacing: home })
    log.info(`migrated from ${home} to ${node}: its home is ${now ?? 'gone with it'}`)
  } catch (error) {
    log.error({ error }, `migrated from ${home} to ${node}, but the home could not be moved; use "virtctl home move"`)
  }
}
