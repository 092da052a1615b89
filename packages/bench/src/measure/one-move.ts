import {
  pods,
  virtualMachineInstanceMigrations,
  type Pod,
  type VirtualMachineInstanceMigration,
} from '@kubevirt-ts/api'
import type { Bench } from '../row.ts'

const patienceMs = 240_000

/** The pod itself is Ready only when the guest runs in it. */
const hasStarted = ({ status }: Pod): boolean =>
  status?.conditions?.some((each) => each.type === 'ContainersReady' && each.status === 'True') ?? false

/** Asks for a move and waits for its end; its target pod's start is seen by the same clock. */
export async function oneMove(
  name: string,
  { client, namespace }: Bench,
): Promise<{ readonly total: number; readonly podStart: number }> {
  const signal = AbortSignal.timeout(patienceMs)
  const jobs = await client.list(virtualMachineInstanceMigrations, { namespace })
  const launchers = await client.list(pods, { namespace })
  const started = performance.now()
  const created = await client.create(virtualMachineInstanceMigrations, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { generateName: 'bench-', namespace, name: '' },
    spec: { vmiName: name },
  })
  const { uid } = created.metadata
  const isOwn = (pod: Pod): boolean => pod.metadata.labels?.['kubevirt.io/migrationJobUID'] === uid
  let podStart = NaN
  const ending = new AbortController()
  const watchTarget = async (): Promise<void> => {
    let first: number | undefined
    const { resourceVersion } = launchers.metadata
    const either = AbortSignal.any([signal, ending.signal])
    for await (const { object } of client.watch(pods, { namespace, resourceVersion, signal: either })) {
      if (!isOwn(object as Pod)) continue
      first ??= performance.now()
      if (!hasStarted(object as Pod)) continue
      podStart = (performance.now() - first) / 1000
      return
    }
  }
  const target = watchTarget()
  try {
    const { resourceVersion } = jobs.metadata
    for await (const { object } of client.watch(virtualMachineInstanceMigrations, {
      namespace,
      resourceVersion,
      signal,
    })) {
      const { metadata, status } = object as VirtualMachineInstanceMigration
      if (metadata.uid !== uid) continue
      if (status?.phase === 'Failed') throw new Error(`a move failed: ${status.migrationState?.failureReason}`)
      if (status?.phase === 'Succeeded') return { total: (performance.now() - started) / 1000, podStart }
    }
    throw new Error('the watch of the move ended before it')
  } finally {
    ending.abort()
    await target.catch(() => undefined)
  }
}
