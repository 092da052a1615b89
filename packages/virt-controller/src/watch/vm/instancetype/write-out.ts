import { virtualMachines } from '@kubevirt-ts/api'
import type { VirtualMachine } from '@kubevirt-ts/api'
import { expand, find } from '@kubevirt-ts/instancetype'
import type { Deps } from '../deps.ts'
import type { Seen } from '../seen.ts'
import { lookupWith } from './lookup.ts'

/**
 * Where the cluster's policy says so, a VM loses its references and has their values in its template instead: `expand`
 * for VMs without a pinned revision, `expandAll` for all. Not under a running guest, which would then seem to differ from
 * its VM. True where the VM was written; what is missing or in conflict is left for the start to tell.
 */
export async function writeOut({ vm, vmi }: Seen, deps: Deps): Promise<boolean> {
  if (vmi !== undefined || vm.metadata.deletionTimestamp !== undefined) return false
  if (!isDue(vm, deps.configuration().instancetype?.referencePolicy)) return false
  const expanded = await attempt(vm, deps)
  if (expanded === undefined) return false
  const patch = [
    { op: 'test', path: '/metadata/resourceVersion', value: vm.metadata.resourceVersion },
    { op: 'replace', path: '/spec/template', value: expanded.spec.template },
    ...(['instancetype', 'preference'] as const).flatMap((name) =>
      vm.spec[name] === undefined ? [] : [{ op: 'remove', path: `/spec/${name}` }],
    ),
  ]
  const reference = { namespace: vm.metadata.namespace, name: vm.metadata.name }
  const written = await deps.client.patch(virtualMachines, reference, patch, { type: 'json' })
  deps.ownWrites.note(vm, written)
  return true
}

function isDue({ spec }: VirtualMachine, policy: string | undefined): boolean {
  const { instancetype, preference } = spec
  if (instancetype === undefined && preference === undefined) return false
  const isPinned = Boolean(instancetype?.revisionName) || Boolean(preference?.revisionName)
  return policy === 'expandAll' || (policy === 'expand' && !isPinned)
}

async function attempt(vm: VirtualMachine, deps: Deps): Promise<VirtualMachine | undefined> {
  try {
    const found = await find(vm, lookupWith(deps))
    if (found.missing !== undefined) return undefined
    const expanded = expand(vm, found)
    return expanded.conflicts === undefined ? expanded.vm : undefined
  } catch {
    return undefined
  }
}
