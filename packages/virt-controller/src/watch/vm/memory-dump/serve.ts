import { annotation, persistentVolumeClaims, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type {
  KubeObject,
  ResourceType,
  VirtualMachineInstanceSpec,
  VirtualMachineMemoryDumpRequest,
} from '@kubevirt-ts/api'
import { diffPatch } from '@kubevirt-ts/controller'
import { isInvalid, isNotFound } from '@kubevirt-ts/kubecli'
import { isLostRace } from '../../lost-race.ts'
import type { Deps } from '../deps.ts'
import { isMigrating } from '../live-update/carry.ts'
import { reason } from '../reasons.ts'
import type { Problem } from '../reasons.ts'
import { isAlive } from '../seen.ts'
import type { Seen } from '../seen.ts'
import { dumpStatusOf, dumpVolume, hasDumpVolume, isDumped } from './request.ts'

/**
 * Gives the guest the claim that its memory is to be dumped to, and takes it away once that is done; the template keeps
 * it until the association is removed, so that a snapshot of the VM has it. Nothing is thrown but lost races.
 */
export async function serveMemoryDump(seen: Seen, deps: Deps): Promise<{ readonly problem?: Problem }> {
  const { vm } = seen
  const request = vm.status?.memoryDumpRequest
  if (request === undefined || vm.metadata.deletionTimestamp !== undefined) return {}
  try {
    await serve(request, seen, deps)
    return {}
  } catch (error) {
    if (isLostRace(error)) throw error
    const text = error instanceof Error ? error.message : String(error)
    const message = `the guest's memory cannot be dumped to PVC ${vm.metadata.namespace}/${request.claimName}: ${text}`
    const known = vm.status?.conditions?.find(({ type }) => type === 'Failure')
    if (known?.message !== message) deps.events.event(vm, 'Warning', reason.memoryDump, message)
    return { problem: { reason: reason.memoryDump, message, retry: !isInvalid(error) } }
  }
}

async function serve(request: VirtualMachineMemoryDumpRequest, seen: Seen, deps: Deps): Promise<void> {
  const { claimName, phase } = request
  if (request.remove === true) {
    await plugGuest(claimName, false, seen, deps)
    return plugTemplate(claimName, false, seen, deps)
  }
  if (phase === 'Associating') {
    const known = dumpStatusOf(seen, claimName)
    // What is left of the dump before must be gone first.
    if (known !== undefined) return isDumped(known) ? plugGuest(claimName, false, seen, deps) : undefined
    await plugGuest(claimName, true, seen, deps)
    return plugTemplate(claimName, true, seen, deps)
  }
  if (phase !== 'Unmounting' && phase !== 'Failed') return
  await noteOnClaim(request, seen, deps)
  await plugGuest(claimName, false, seen, deps)
}

async function plugGuest(claimName: string, wanted: boolean, { vmi }: Seen, deps: Deps): Promise<void> {
  // A guest that does not run yet has no memory; one that moves keeps its spec until it has moved.
  if (!isAlive(vmi) || vmi.status?.phase !== 'Running' || isMigrating(vmi)) return
  await plug(virtualMachineInstances, vmi, { at: '/spec', spec: vmi.spec, claimName, wanted }, deps)
}

async function plugTemplate(claimName: string, wanted: boolean, { vm }: Seen, deps: Deps): Promise<void> {
  const { spec } = vm.spec.template
  if (spec !== undefined) {
    await plug(virtualMachines, vm, { at: '/spec/template/spec', spec, claimName, wanted }, deps)
  }
}

interface Change {
  /** Where the spec is in its object. */
  readonly at: string
  readonly spec: VirtualMachineInstanceSpec
  readonly claimName: string
  readonly wanted: boolean
}

async function plug<T extends KubeObject>(
  resource: ResourceType<T>,
  { metadata }: T,
  { at, spec, claimName, wanted }: Change,
  { client }: Deps,
): Promise<void> {
  if (hasDumpVolume(spec, claimName) === wanted) return
  const before = spec.volumes ?? []
  const volumes = wanted ? [...before, dumpVolume(claimName)] : before.filter(({ name }) => name !== claimName)
  const patch = diffPatch(spec, { ...spec, volumes }, ['/volumes'])
  const absolute = patch.map((operation) => ({ ...operation, path: `${at}${operation.path}` }))
  try {
    await client.patch(resource, { namespace: metadata.namespace, name: metadata.name }, absolute, { type: 'json' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Tools that look at the claim alone find there which file it has. */
async function noteOnClaim(
  { claimName, phase, fileName }: VirtualMachineMemoryDumpRequest,
  { vm, claim }: Seen,
  { client }: Deps,
): Promise<void> {
  const note = phase === 'Failed' ? 'Memory dump failed' : (fileName ?? '')
  const known = claim(claimName)
  if (known === undefined || known.metadata.annotations?.[annotation.memoryDump] === note) return
  const body = { metadata: { annotations: { [annotation.memoryDump]: note } } }
  const reference = { namespace: vm.metadata.namespace, name: claimName }
  try {
    await client.patch(persistentVolumeClaims, reference, body, { type: 'merge' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
