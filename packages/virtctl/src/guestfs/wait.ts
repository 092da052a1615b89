import { setTimeout as delay } from 'node:timers/promises'
import { pods } from '@kubevirt-ts/api'
import type { Pod } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { CommandError } from '../command.ts'
import type { CommandContext } from '../command.ts'

const waitMs = 500_000
const pollMs = 500

/** Reasons of a waiting container that time does not cure. */
const hopeless = ['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'CreateContainerConfigError']

/** What keeps a pod from running, in the cluster's own words; undefined while there is hope. */
export function failureOf({ metadata, status }: Pod): string | undefined {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') {
    return `pod ${metadata.name} ended before anybody attached: see kubectl describe pod ${metadata.name}`
  }
  const waiting = status?.containerStatuses?.map(({ state }) => state?.waiting).find((each) => each?.reason)
  if (!waiting || !hopeless.includes(waiting.reason!)) return undefined
  return `${waiting.reason}: ${waiting.message ?? 'no more is told'}; name an image with libguestfs by --image`
}

/** What a pod waits for, to be shown. */
function stateOf({ status }: Pod): string {
  const unscheduled = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False')
  return unscheduled?.message ?? status?.containerStatuses?.[0]?.state?.waiting?.reason ?? status?.phase ?? 'Pending'
}

/** Waits until the pod runs, and tells what it waits for. Throws when it never will, or after 500 s. */
export async function running(
  client: KubeClient,
  reference: { readonly namespace: string; readonly name: string },
  { terminal, signal }: CommandContext,
): Promise<void> {
  const end = Date.now() + waitMs
  let told = ''
  for (;;) {
    const pod = await client.get(pods, reference)
    if (pod.status?.phase === 'Running') return
    const failure = failureOf(pod)
    if (failure !== undefined) throw new CommandError(failure)
    const state = stateOf(pod)
    if (state !== told) terminal.stderr.write(`Waiting for container to start in pod ${reference.name}: ${state}\n`)
    told = state
    if (Date.now() > end)
      throw new CommandError(`pod ${reference.name} does not run after ${waitMs / 1000} s: ${state}`)
    await delay(pollMs, undefined, { signal })
  }
}
