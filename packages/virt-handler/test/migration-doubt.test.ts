import { beforeEach, describe, expect, test } from '@jest/globals'
import {
  type KubeObject,
  type MigrationDoubt,
  migrationDoubtOf,
  openMigrationDoubt,
  type VirtualMachineInstance,
  type VirtualMachineInstanceMigrationState,
  virtualMachineInstances,
  withMigrationDoubt,
} from '@kubevirt-ts/api'
import { silentLog } from '@kubevirt-ts/controller/testing'
import type { Domain, LifeCycle, MigrationMetadata, StateChangeReason } from '@kubevirt-ts/domain'
import { type FakeClient, fakeClient } from '@kubevirt-ts/kubecli/testing'
import { Lanes } from '@kubevirt-ts/service'
import { DomainCache } from '../src/launcher-clients/domain-cache.ts'
import type { MigrationDeps } from '../src/migration/deps.ts'
import { send } from '../src/migration/source.ts'
import { receive } from '../src/migration/target.ts'
import { decide } from '../src/vm/decide.ts'

const guest = { namespace: 'default', name: 'testvm', uid: 'uid-1' }
const begun: VirtualMachineInstanceMigrationState = {
  migrationUid: 'm',
  sourceNode: 'n1',
  targetNode: 'n2',
  targetPod: 'pod-2',
  targetNodeAddress: '198.18.2.1',
  startTimestamp: '2026-01-01T00:00:00Z',
}
const failed = { ...begun, failed: true, completed: true }

const domain = (status: LifeCycle, reason: StateChangeReason, migration?: MigrationMetadata): Domain =>
  ({
    metadata: guest,
    spec: { metadata: { kubevirt: migration === undefined ? {} : { migration } } },
    status: { status, reason },
  }) as unknown as Domain
const held = domain('Paused', 'Migration', { uid: 'm', startTimestamp: '2026-01-01T00:00:00Z', inDoubt: 'true' })

let client: FakeClient
let asked: string[]
let told: string[]
/** What the launcher has when it is asked. */
let there: Domain | undefined
/** What the launcher of a target says to a guest that must not run there. */
let refusal: string | undefined

beforeEach(() => {
  asked = []
  told = []
  there = undefined
  refusal = undefined
})

function agent(node: string, { launcher = 'up' } = {}): MigrationDeps {
  const domains = new DomainCache(() => undefined)
  const answer =
    (rpc: string, message = '') =>
    async () => {
      asked.push(rpc)
      return { success: message === '', message }
    }
  const cmd = {
    cancelVirtualMachineMigration: () => answer('cancel', refusal)(),
    killVirtualMachine: answer('kill'),
    finalizeVirtualMachineMigration: answer('finalize'),
  }
  const connection = { guest, podUid: 'pod', cmd }
  return {
    node,
    client,
    domains,
    launchers: {
      get: () => (launcher === 'up' ? connection : undefined),
      connect: async () => (launcher === 'up' ? connection : undefined),
      podUid: () => 'pod',
      state: () => launcher,
      refresh: async () => domains.told(guest, there),
    },
    stays: new Lanes(),
    podsFolder: '/nowhere',
    configuration: () => ({}),
    events: { event: (_: unknown, __: unknown, reason: string) => void told.push(reason) },
    log: silentLog(),
    now: () => Date.parse('2026-01-01T00:00:10Z'),
    targetProxies: new Map(),
    sourceProxies: new Map(),
    interrupted: new Set(),
    taken: new Map(),
    isStopping: () => false,
  } as unknown as MigrationDeps
}

async function stored(
  migrationState: VirtualMachineInstanceMigrationState,
  doubt?: MigrationDoubt,
  nodeName = 'n1',
): Promise<VirtualMachineInstance> {
  const labels = { 'kubevirt.io/nodeName': nodeName, 'kubevirt.io/migrationTargetNodeName': 'n2' }
  const metadata = { ...guest, labels }
  client = fakeClient([
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: doubt === undefined ? metadata : withMigrationDoubt(metadata, 'm', doubt),
      spec: { domain: { devices: {} } },
      status: { phase: 'Running', nodeName, migrationState },
    } as VirtualMachineInstance & KubeObject,
  ])
  return client.get(virtualMachineInstances, guest)
}
const now = () => client.objects(virtualMachineInstances)[0]!
const doubtNow = () => migrationDoubtOf(now().metadata, 'm')

describe('the source of a guest that may run at its target', () => {
  const source = (options = {}): MigrationDeps => {
    const deps = agent('n1', options)
    deps.domains.told(guest, held)
    there = held
    return deps
  }

  test.each([
    ['', begun],
    [', also of a move that was given up meanwhile', failed],
  ])('asks where it is%s', async (_, state) => {
    const seen = await stored(state)

    await send(seen, guest, source())

    expect(doubtNow()).toBe('asked')
    expect(told).toEqual(['MigrationInDoubt'])
    expect(asked).toEqual([])
  })

  test.each([
    ['under way', begun],
    ['failed', failed],
  ])('lets nothing but an answer move it, its move being %s', async (_, state) => {
    const seen = await stored(state, 'asked')

    await send(seen, guest, source())

    expect(asked).toEqual([])
    expect(client.writes()).toEqual([])
  })

  test.each<[MigrationDoubt, string]>([
    ['stayed', 'cancel'],
    ['lost', 'kill'],
  ])('does what the answer says: %s', async (answer, rpc) => {
    const seen = await stored(failed, answer)

    await send(seen, guest, source())

    expect(asked).toEqual([rpc])
  })

  test('takes what is said of another move for no answer', async () => {
    const seen = await stored({ ...failed, migrationUid: 'm2' }, 'stayed')

    await send(seen, guest, source())

    expect(asked).toEqual([])
    expect(client.writes()).toEqual([])
  })

  test('ends what is left of it when its target has it', () => {
    expect(decide({ guest, moved: true, domain: held, domainKnown: true, launcher: 'up', known: true })).toBe('kill')
  })

  test('ends it with its VMI', async () => {
    const seen = await stored(begun, 'asked')

    await send({ ...seen, metadata: { ...seen.metadata, deletionTimestamp: '2026-01-01T00:00:09Z' } }, guest, source())

    expect(asked).toEqual(['kill'])
  })

  test.each([
    ['', undefined],
    [', also of a guest that had come by a move', domain('Running', 'Migrated')],
  ])('asks for it too when its launcher has ended without a word%s', async (_, last) => {
    const seen = await stored(begun)
    const deps = agent('n1', { launcher: 'dead' })
    if (last !== undefined) deps.domains.told(guest, last)

    await send(seen, guest, deps)

    expect(doubtNow()).toBe('asked')
    expect(now().status?.migrationState?.failed).toBeUndefined()
  })
})

describe('the target that is asked', () => {
  test.each([
    ['when its launcher says that it never runs there: it stayed', undefined, 'stayed'],
    ['when it ran there and has ended: it is lost', 'GuestHasRun', 'lost'],
  ])('answers %s', async (_, message, answer) => {
    const seen = await stored(begun, 'asked')
    refusal = message

    await receive(seen, guest, agent('n2'))

    expect(asked).toEqual(['cancel'])
    expect(doubtNow()).toBe(answer)
    expect(now().status?.migrationState).toMatchObject({ failed: true, completed: true })
  })

  test('answers for a launcher that has ended: it is lost', async () => {
    await receive(await stored(begun, 'asked'), guest, agent('n2', { launcher: 'dead' }))

    expect(doubtNow()).toBe('lost')
  })

  test('takes a guest that runs there', async () => {
    const seen = await stored(begun, 'asked')
    there = domain('Running', 'Unpaused')

    await receive(seen, guest, agent('n2'))

    expect(now().status).toMatchObject({ nodeName: 'n2', migrationState: { completed: true } })
    expect(asked).toEqual(['finalize'])
    // Else no other move of it could ever begin.
    expect(openMigrationDoubt(now().metadata)).toBeUndefined()
  })

  test('ends a guest that runs there when its move was given up meanwhile', async () => {
    const seen = await stored(failed, 'asked')
    there = domain('Running', 'Unpaused')

    await receive(seen, guest, agent('n2'))

    expect(asked).toEqual(['kill'])
    expect(doubtNow()).toBe('asked')
  })

  test('says nothing while it does not know', async () => {
    const seen = await stored(begun, 'asked')

    expect(await receive(seen, guest, agent('n2', { launcher: 'absent' }))).toEqual({
      requeueAfter: expect.any(Number),
    })
    expect(client.writes()).toEqual([])
  })
})
