import { virtualMachines } from '@kubevirt-ts/api'
import type { Interface } from '@kubevirt-ts/api'
import { diffPatch } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import { interfaceNamed } from '@kubevirt-ts/vmispec'
import type { Deps } from '../deps.ts'
import { isAlive } from '../seen.ts'
import type { Seen } from '../seen.ts'

/** Takes cards that were unplugged out of the template, once the guest has none of that name any more. */
export async function forgetUnplugged({ vm, vmi }: Seen, { client, ownWrites }: Deps): Promise<void> {
  const template = vm.spec.template.spec
  const all = template?.domain.devices.interfaces ?? []
  const isDone = ({ name, state }: Interface): boolean =>
    state === 'absent' && !(isAlive(vmi) && interfaceNamed(vmi.spec, name) !== undefined)
  const interfaces = all.filter((iface) => !isDone(iface))
  if (template === undefined || interfaces.length === all.length || vm.metadata.deletionTimestamp !== undefined) return
  const left = new Set(all.filter(isDone).map(({ name }) => name))
  const { devices } = template.domain
  const after = {
    ...template,
    networks: (template.networks ?? []).filter(({ name }) => !left.has(name)),
    domain: { ...template.domain, devices: { ...devices, interfaces } },
  }
  const patch = diffPatch(template, after, ['/networks', '/domain/devices/interfaces'])
  const absolute = patch.map((each) => ({ ...each, path: `/spec/template/spec${each.path}` }))
  try {
    const reference = { namespace: vm.metadata.namespace, name: vm.metadata.name }
    ownWrites.note(vm, await client.patch(virtualMachines, reference, absolute, { type: 'json' }))
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
