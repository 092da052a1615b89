import { guaranteeProblem } from './guarantee.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import { launcherPod } from './seen.ts'
import type { Seen } from './seen.ts'

type View = Pick<Seen, 'vmi' | 'pods'>

/** Why the guest may not be handed to its node, though its pod runs. */
export const handOverProblem = (seen: View): Problem | undefined => guaranteeProblem(seen) ?? missingVirtiofs(seen)

/** A folder of a container is shared by a container of its own, which whoever admits pods adds. */
function missingVirtiofs({ vmi, pods }: View): Problem | undefined {
  const pod = launcherPod({ vmi, pods })
  const shared = new Set(vmi.spec.domain.devices.filesystems?.map(({ name }) => name))
  const isEarly = ['', 'Pending', 'Scheduling'].includes(vmi.status?.phase ?? '')
  if (pod === undefined || !isEarly) return undefined
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].map(({ name }) => name)
  const missing = (vmi.spec.volumes ?? [])
    .filter(({ name, containerPath }) => containerPath !== undefined && shared.has(name))
    .filter(({ name }) => !containers.includes(`virtiofs-${name}`))
  if (missing.length === 0) return undefined
  const names = missing.map(({ name }) => `virtiofs-${name}`).join(', ')
  const message = `pod ${pod.metadata.name} has no container ${names}: the webhook that admits pods adds them; see that it runs, then start the guest anew`
  return { reason: reason.missingVirtiofsContainers, message, retry: false }
}
