import { pods, virtualMachineInstanceMigrations as migrations, virtualMachineInstances as vmis } from '@kubevirt-ts/api'
import type { FakeClient } from '@kubevirt-ts/kubecli/testing'
import { jobUid } from '../migration-world.ts'
import { guestNames, nodeNames } from './names.ts'
import { isFinal } from './rules.ts'

const priorities = [undefined, 'system-maintenance', 'user-triggered', 'system-critical']

/** All but the controller: users, kubelets and the nodes' agents, who do something or nothing each time. */
export function playersOf(client: FakeClient, random: () => number) {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const at = (name: string) => ({ namespace: 'default', name })
  const asStatus = { type: 'merge', subresource: 'status' } as const
  const agents = (name: string, migrationState: object, more: object = {}) =>
    client.patch(vmis, at(name), { status: { migrationState, ...more } }, { type: 'merge' })
  let [asked, moved] = [0, 0]

  const ask = async (): Promise<void> => {
    const vmiName = pick(guestNames)
    const isRefused = client
      .objects(migrations)
      .some(({ spec, status }) => spec.vmiName === vmiName && !isFinal(status?.phase))
    // Two that are asked for at once get past admission.
    if (isRefused && random() < 0.9) return
    const priority = pick(priorities)
    const automatic = random() < 0.3 ? { annotations: { 'kubevirt.io/evacuationMigration': 'n1' } } : {}
    asked += 1
    await client.create(migrations, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { name: `m${asked}`, namespace: 'default', ...automatic },
      spec: { vmiName, ...(priority === undefined ? {} : { priority }) },
    })
  }

  const cancel = async (): Promise<void> => {
    const job = pick(client.objects(migrations))
    if (job !== undefined) await client.delete(migrations, at(job.metadata.name))
  }

  const kubelet = async (): Promise<void> => {
    const pod = pick(client.objects(pods).filter(({ metadata }) => metadata.labels?.[jobUid] !== undefined))
    if (pod === undefined || pod.status?.phase === 'Failed') return
    const { name } = pod.metadata
    if (random() < 0.1) {
      await client.patch(pods, at(name), { status: { phase: 'Failed' } }, asStatus)
      return
    }
    const owner = pod.metadata.ownerReferences?.[0]?.name
    const here = client.objects(vmis).find(({ metadata }) => metadata.name === owner)?.status?.nodeName
    const nodeName = pod.spec.nodeName ?? pick(nodeNames.filter((each) => each !== here))
    await client.patch(pods, at(name), { spec: { nodeName } }, { type: 'merge' })
    const containerStatuses = [{ name: 'compute', ready: true, state: { running: {} } }]
    await client.patch(pods, at(name), { status: { phase: 'Running', containerStatuses } }, asStatus)
  }

  const nodesWork = async (): Promise<void> => {
    const one = pick(
      client.objects(vmis).filter(({ status }) => {
        const state = status?.migrationState
        return state?.migrationUid !== undefined && state.completed !== true && state.failed !== true
      }),
    )
    const state = one?.status?.migrationState
    if (one === undefined || state === undefined) return
    const { name } = one.metadata
    if (state.targetNodeAddress === undefined) await agents(name, { targetNodeAddress: '192.0.2.2' })
    else if (state.startTimestamp === undefined) await agents(name, { startTimestamp: '2026-01-01T00:00:00Z' })
    else if (random() < 0.2 || state.abortRequested) await agents(name, { failed: true, completed: true })
    else {
      moved += 1
      await agents(name, { completed: true }, { nodeName: state.targetNode })
      await sourceEnds(name, state)
    }
  }

  /** A leader that did not see the source's pod has not named it, and it ends all the same. */
  const sourceEnds = async (
    guest: string,
    { targetPod, sourceNode }: { readonly targetPod?: string; readonly sourceNode?: string },
  ): Promise<void> => {
    const left = client
      .objects(pods)
      .find(
        ({ metadata, spec, status }) =>
          metadata.ownerReferences?.[0]?.name === guest &&
          metadata.name !== targetPod &&
          spec.nodeName === sourceNode &&
          status?.phase === 'Running',
      )
    if (left !== undefined)
      await client.patch(pods, at(left.metadata.name), { status: { phase: 'Succeeded' } }, asStatus)
  }

  return { ask, cancel, kubelet, nodesWork, moved: () => moved }
}
