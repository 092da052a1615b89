import { virtualMachineInstances } from '@kubevirt-ts/api'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { diffPatch } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import { isSameJson } from '../same.ts'
import type { Deps } from './deps.ts'

/** From the hand-over on others write the object too, so only these fields are touched, each tested first. */
const shared = [
  '/metadata/labels',
  '/metadata/finalizers',
  '/status/phase',
  '/status/reason',
  '/status/phaseTransitionTimestamps',
  '/status/conditions',
  '/status/activePods',
  '/status/launcherContainerImageVersion',
  '/status/interfaces',
  '/status/volumeStatus',
] as const

/** Writes the VMI if the description differs from what was seen. An object that vanished needs no write any more. */
export async function writeVmi(
  seen: VirtualMachineInstance,
  described: VirtualMachineInstance,
  deps: Deps,
): Promise<void> {
  const before = seen.status?.phase ?? ''
  try {
    const written = isOursAlone(before)
      ? await replace(seen, described, deps)
      : await patchShared(seen, described, deps)
    if (written === undefined) return
    deps.ownWrites.note(seen, written)
    deps.syncs.count(seen)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** In these phases the object is the controller's alone. */
const ours: ReadonlySet<string> = new Set(['', 'Pending', 'WaitingForSync', 'Scheduling'])
const isOursAlone = (phase: string): boolean => ours.has(phase)

async function replace(
  seen: VirtualMachineInstance,
  described: VirtualMachineInstance,
  { client }: Deps,
): Promise<VirtualMachineInstance | undefined> {
  if (isSameJson(seen, described)) return undefined
  return client.update(virtualMachineInstances, described)
}

async function patchShared(
  seen: VirtualMachineInstance,
  described: VirtualMachineInstance,
  { client }: Deps,
): Promise<VirtualMachineInstance | undefined> {
  const changed = shared.filter((path) => !isSameJson(valueAt(seen, path), valueAt(described, path)))
  const changes = diffPatch(seen, described, changed)
  if (changes.length === 0) return undefined
  const { namespace, name } = seen.metadata
  // The phase is tested even where it stays: a verdict about a running guest must not land on a finished one.
  const patch = [{ op: 'test', path: '/status/phase', value: seen.status?.phase }, ...changes]
  return client.patch(virtualMachineInstances, { namespace, name: name ?? '' }, patch, { type: 'json' })
}

/** None of the paths has an escaped character. */
function valueAt(vmi: VirtualMachineInstance, path: string): unknown {
  const [, part = '', field = ''] = path.split('/')
  return (vmi as unknown as Record<string, Record<string, unknown> | undefined>)[part]?.[field]
}
