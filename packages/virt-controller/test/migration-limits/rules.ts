import { pods, virtualMachineInstanceMigrations as migrations, virtualMachineInstances as vmis } from '@kubevirt-ts/api'
import type { FakeClient } from '@kubevirt-ts/kubecli/testing'
import { jobUid } from '../migration-world.ts'
import type { Limits } from './leader.ts'
import { nodeNames } from './names.ts'

export const isFinal = (phase: string | undefined) => phase === 'Succeeded' || phase === 'Failed'

/** Guests whose nodes still work on a move that nobody follows: none of them could ever move again. */
export function forgotten(client: FakeClient): string[] {
  const followed = new Set(
    client.objects(migrations).flatMap(({ metadata, status }) => (isFinal(status?.phase) ? [] : [metadata.uid])),
  )
  return client.objects(vmis).flatMap(({ metadata, status }) => {
    const { migrationUid, completed, failed } = status?.migrationState ?? {}
    if (migrationUid === undefined || completed === true || failed === true || followed.has(migrationUid)) return []
    return [`${metadata.name} is left on the way by ${migrationUid}`]
  })
}

/** What runs in truth: migrations that have not ended and have a pod to move to. */
export function exceeded(client: FakeClient, { perCluster, perNode }: Limits): string[] {
  const held = new Set(client.objects(pods).map(({ metadata }) => metadata.labels?.[jobUid]))
  const active = client
    .objects(migrations)
    .filter(({ metadata, status }) => !isFinal(status?.phase) && held.has(metadata.uid))
  const sources = active.map(({ metadata, spec }) => {
    const { nodeName, migrationState } =
      client.objects(vmis).find((each) => each.metadata.name === spec.vmiName)?.status ?? {}
    return migrationState?.migrationUid === metadata.uid ? migrationState?.sourceNode : nodeName
  })
  const guests = active.map(({ spec }) => spec.vmiName)
  const outbound = nodeNames.map((node) => sources.filter((each) => each === node).length)
  return [
    ...(active.length > perCluster ? [`${active.length} of ${perCluster} in the cluster`] : []),
    ...(Math.max(...outbound) > perNode ? [`${Math.max(...outbound)} of ${perNode} from one node`] : []),
    ...(new Set(guests).size < guests.length ? [`one guest moves twice at once: ${guests.join()}`] : []),
  ]
}
