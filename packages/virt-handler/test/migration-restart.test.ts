import { beforeEach, expect, test } from '@jest/globals'
import {
  type VirtualMachineInstance,
  type VirtualMachineInstanceMigrationState,
  virtualMachineInstances,
} from '@kubevirt-ts/api'
import { RpcError } from '@kubevirt-ts/handler-launcher-com'
import { silentLog } from '@kubevirt-ts/controller/testing'
import type { Domain, LifeCycle, MigrationMetadata, StateChangeReason } from '@kubevirt-ts/domain'
import { type FakeClient, fakeClient } from '@kubevirt-ts/kubecli/testing'
import { Lanes } from '@kubevirt-ts/service'
import { DomainCache } from '../src/launcher-clients/domain-cache.ts'
import type { MigrationDeps } from '../src/migration/deps.ts'
import { movesEnded } from '../src/migration/moves-ended.ts'
import { send } from '../src/migration/source.ts'
import { receive } from '../src/migration/target.ts'

const guest = { namespace: 'default', name: 'testvm', uid: 'uid-1' }
const way: VirtualMachineInstanceMigrationState = {
  migrationUid: 'm',
  sourceNode: 'n1',
  targetNode: 'n2',
  targetNodeAddress: '198.18.2.1',
  targetDirectMigrationNodePorts: { '40000': 0 },
}
const begun = { ...way, startTimestamp: '2026-01-01T00:00:00Z' }

const vmi = (migrationState: VirtualMachineInstanceMigrationState): VirtualMachineInstance => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { ...guest, labels: { 'kubevirt.io/nodeName': 'n1', 'kubevirt.io/migrationTargetNodeName': 'n2' } },
  spec: { domain: { devices: {} } },
  status: { phase: 'Running', nodeName: 'n1', migrationState },
})

const domain = (status: LifeCycle, reason: StateChangeReason, migration?: MigrationMetadata): Domain =>
  ({
    metadata: guest,
    spec: { metadata: { kubevirt: migration === undefined ? {} : { migration } } },
    status: { status, reason },
  }) as unknown as Domain

let client: FakeClient
let nowMs: number
let told: string[]
let asked: string[]
/** What the launcher on this node has; it is known here when the launcher was asked. */
let there: Domain | undefined

beforeEach(() => {
  told = []
  asked = []
  nowMs = Date.parse('2026-01-01T00:00:10Z')
  there = undefined
})

/** The state of a process that has just been started again: it holds no doors. */
function restarted(node: string, { launcher = 'up', isStopping = false } = {}): MigrationDeps {
  const domains = new DomainCache(() => undefined)
  const answer = (rpc: string) => async () => {
    asked.push(rpc)
    return { success: true, message: '' }
  }
  const cmd = {
    info: async () => ({ supportedCmdVersions: [1] }),
    migrateVirtualMachine: answer('migrate'),
    finalizeVirtualMachineMigration: answer('finalize'),
    unpauseVirtualMachine: answer('unpause'),
    syncMigrationTarget: answer('sync'),
  }
  const connection = { guest, podUid: 'pod', cmd }
  const launchers = {
    get: () => (launcher === 'up' ? connection : undefined),
    connect: async () => (launcher === 'up' ? connection : undefined),
    podUid: () => 'pod',
    state: () => launcher,
    refresh: async () => domains.told(guest, there),
  }
  return {
    node,
    client,
    domains,
    launchers,
    stays: new Lanes(),
    podsFolder: '/nowhere',
    configuration: () => ({}),
    events: { event: (_: unknown, __: unknown, reason: string) => void told.push(reason) },
    log: silentLog(),
    now: () => nowMs,
    targetProxies: new Map(),
    sourceProxies: new Map(),
    interrupted: new Set(),
    taken: new Map(),
    isStopping: () => isStopping,
  } as unknown as MigrationDeps
}

async function stored(state: VirtualMachineInstanceMigrationState): Promise<VirtualMachineInstance> {
  client = fakeClient([vmi(state)])
  return client.get(virtualMachineInstances, guest)
}
const stateNow = () => client.objects(virtualMachineInstances)[0]?.status

/** What the launcher of the source remembers of a move that broke off. */
const failedWith = (failureReason: string) =>
  ({ uid: 'm', endTimestamp: '2026-01-01T00:00:05Z', failed: 'true', failureReason }) as const

test('a guest that arrived while the agent of its target was away is taken over, not failed', async () => {
  const seen = await stored(begun)
  there = domain('Running', 'Unpaused')

  await receive(seen, guest, restarted('n2'))

  expect(asked).toEqual(['finalize'])
  expect(stateNow()).toMatchObject({ nodeName: 'n2', migrationState: { completed: true } })
  expect(stateNow()?.migrationState?.failed).toBeUndefined()
})

test.each<[string, Domain | undefined, VirtualMachineInstanceMigrationState]>([
  ['is there in part', domain('Paused', 'Migration'), begun],
  ['is there in part before its source said that it began', domain('Paused', 'Migration'), way],
  ['is not there, though its source began', undefined, begun],
])(
  'the agent of a target that was restarted leaves the verdict to the source: the guest %s',
  async (_, found, state) => {
    const seen = await stored(state)
    there = found
    const deps = restarted('n2')

    for (const _round of [1, 2]) expect(await receive(seen, guest, deps)).toEqual({ requeueAfter: expect.any(Number) })

    expect(client.writes()).toEqual([])
    expect(asked).toEqual([])
    expect(told).toEqual(['MigrationInterrupted'])
  },
)

test('a target whose launcher does not answer yet is looked at again', async () => {
  const seen = await stored(begun)
  const deps = restarted('n2', { launcher: 'absent' })

  expect(await receive(seen, guest, deps)).toEqual({ requeueAfter: expect.any(Number) })
  expect(client.writes()).toEqual([])
})

test('the source that was restarted follows the move that its launcher tells of, and does not begin it again', async () => {
  const seen = await stored(way)
  const deps = restarted('n1')
  deps.domains.told(
    guest,
    domain('Running', 'Booted', { uid: 'm', startTimestamp: begun.startTimestamp, mode: 'PreCopy' }),
  )

  await send(seen, guest, deps)

  expect(asked).toEqual([])
  expect(stateNow()?.migrationState).toMatchObject({ startTimestamp: begun.startTimestamp, mode: 'PreCopy' })
})

test('a target whose agent opened too few doors fails the move by its version; the guest stays where it is', async () => {
  await send(await stored(way), guest, restarted('n1'))

  expect(asked).toEqual([])
  expect(stateNow()).toMatchObject({
    nodeName: 'n1',
    migrationState: {
      failed: true,
      failureReason: expect.stringContaining('no port for the memory; it is of another'),
    },
  })
})

test('a move that was cut off by the restart fails with that reason, the guest stays where it is', async () => {
  const seen = await stored(begun)
  const deps = restarted('n1')
  deps.domains.told(guest, domain('Running', 'Booted', failedWith('broken pipe')))

  await send(seen, guest, deps)

  expect(stateNow()).toMatchObject({
    nodeName: 'n1',
    migrationState: {
      failed: true,
      completed: true,
      failureReason: 'the agent of the source node was restarted on the way: broken pipe',
    },
  })
})

test('a move that fails because the nodes do not talk to each other says so', async () => {
  const seen = await stored(begun)
  const deps = restarted('n1')
  deps.domains.told(guest, domain('Running', 'Booted', failedWith('end of file')))
  deps.sourceProxies.set(guest.uid, {
    trouble: () => '198.18.2.1:40000: certificate has expired',
    close: () => undefined,
  })

  await send(seen, guest, deps)

  expect(stateNow()?.migrationState?.failureReason).toBe(
    "the target's agent at 198.18.2.1:40000: certificate has expired (end of file)",
  )
})

test('an agent that is about to stop begins nothing, at neither end', async () => {
  const leaving = await stored(way)
  expect(await send(leaving, guest, restarted('n1', { isStopping: true }))).toEqual({})
  const { targetNodeAddress: _address, ...fresh } = way
  expect(await receive(await stored(fresh), guest, restarted('n2', { isStopping: true }))).toEqual({})
  expect(asked).toEqual([])
  expect(client.writes()).toEqual([])
})

test('a stop waits for guests on their way, but not for ever', async () => {
  const proxy = { trouble: () => undefined, close: () => undefined }
  const deps = restarted('n1')
  expect(await movesEnded(deps, 60_000)).toBe(0)

  deps.sourceProxies.set('a', proxy)
  const waiting = movesEnded(deps, 60_000)
  deps.sourceProxies.clear()
  expect(await waiting).toBe(0)

  deps.sourceProxies.set('a', proxy)
  expect(await movesEnded(deps, 0)).toBe(1)
})

test('a guest is taken over once, also while the cache does not show that yet', async () => {
  const seen = await stored(begun)
  there = domain('Running', 'Unpaused')
  const deps = restarted('n2')

  for (const _round of [1, 2]) await receive(seen, guest, deps)

  expect(asked).toEqual(['finalize'])
  expect(told).toEqual(['Migrated'])
})

test('a launcher too busy to answer does not end the move of a guest that may be there already', async () => {
  const seen = await stored(begun)
  const deps = restarted('n2')
  deps.launchers.refresh = async () => {
    throw new RpcError('getDomain', { code: 4, details: 'no answer within 5000 ms' }, 'launcher-sock')
  }

  expect(await receive(seen, guest, deps)).toEqual({ requeueAfter: expect.any(Number) })

  expect(client.writes()).toEqual([])
  expect(told).toEqual([])
})
