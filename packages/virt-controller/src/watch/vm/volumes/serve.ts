import { virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { KubeObject, ResourceType, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { diffPatch } from '@kubevirt-ts/controller'
import { isInvalid, isNotFound } from '@kubevirt-ts/kubecli'
import { isLostRace } from '../../lost-race.ts'
import { isSameJson } from '../../same.ts'
import type { Deps } from '../deps.ts'
import { reason } from '../reasons.ts'
import type { Problem } from '../reasons.ts'
import { isAlive } from '../seen.ts'
import type { Seen } from '../seen.ts'
import { openVolumeRequests, withRequests } from './requests.ts'

/** Plugs volumes in and out of template and guest, as users asked for in the VM's status; returns what went wrong. */
export async function serveVolumeRequests(seen: Seen, deps: Deps): Promise<{ readonly problem?: Problem }> {
  const { vm } = seen
  if (vm.metadata.deletionTimestamp !== undefined || openVolumeRequests(seen).length === 0) return {}
  try {
    await serve(seen, deps)
    return {}
  } catch (error) {
    if (isLostRace(error)) throw error
    const text = error instanceof Error ? error.message : String(error)
    const message = `volumes of the guest cannot be changed: ${text}`
    const known = vm.status?.conditions?.find(({ type }) => type === 'Failure')
    if (known?.message !== message) deps.events.event(vm, 'Warning', reason.hotplugVolume, message)
    return { problem: { reason: reason.hotplugVolume, message, retry: !isInvalid(error) } }
  }
}

async function serve({ vm, vmi }: Seen, deps: Deps): Promise<void> {
  const requests = vm.status?.volumeRequests ?? []
  const template = vm.spec.template.spec
  if (template !== undefined) {
    const next = withRequests(template, requests)
    await writeDisks(virtualMachines, vm, { at: '/spec/template/spec', before: template, after: next }, deps)
  }
  if (!isAlive(vmi)) return
  const next = withRequests(vmi.spec, requests)
  await writeDisks(virtualMachineInstances, vmi, { at: '/spec', before: vmi.spec, after: next }, deps)
}

interface Change {
  /** Where the spec is in its object. */
  readonly at: string
  readonly before: VirtualMachineInstanceSpec
  readonly after: VirtualMachineInstanceSpec
}

/** Both lists change together or not at all; refused where another changed them since. */
async function writeDisks<T extends KubeObject>(
  resource: ResourceType<T>,
  { metadata }: T,
  { at, before, after }: Change,
  { client }: Deps,
): Promise<void> {
  const listsOf = ({ volumes = [], domain: { devices } }: VirtualMachineInstanceSpec): unknown => [
    volumes,
    devices.disks ?? [],
  ]
  if (isSameJson(listsOf(before), listsOf(after))) return
  const patch = diffPatch(before, after, ['/volumes', '/domain/devices/disks'])
  const absolute = patch.map((operation) => ({ ...operation, path: `${at}${operation.path}` }))
  const reference = { namespace: metadata.namespace, name: metadata.name }
  try {
    await client.patch(resource, reference, absolute, { type: 'json' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
