import { expect, test } from '@jest/globals'
import {
  dataVolumes,
  nodes,
  persistentVolumeClaims,
  pods,
  storageClasses,
  virtualMachineInstanceMigrations as migrations,
  virtualMachineInstances as vmis,
} from '@kubevirt-ts/api'
import type { KubeObject, Pod, ResourceType, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { Expectations, keyOf } from '@kubevirt-ts/controller'
import type { Lister } from '@kubevirt-ts/controller'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import type { FakeClient } from '@kubevirt-ts/kubecli/testing'
import { mergeConfiguration } from '@kubevirt-ts/virt-config'
import { vmiKeyOf } from '../src/watch/migration/controller.ts'
import type { Deps } from '../src/watch/migration/deps.ts'
import { reconcile } from '../src/watch/migration/reconcile.ts'
import { OwnWrites } from '../src/watch/own-writes.ts'
import { vmiUidOf } from '../src/watch/vmi/controller.ts'
import { eventLog, freshLister } from './fresh-caches.ts'
import { guest, jobUid, launcher } from './migration-world.ts'
import { seeded } from './stress/model.ts'

/** `MIGRATION_SCHEDULES=1000` is the long form; `MIGRATION_SEED` begins elsewhere. */
const schedules = Number(process.env['MIGRATION_SCHEDULES'] ?? 12)
const firstSeed = Number(process.env['MIGRATION_SEED'] ?? 1)
const steps = 250

const nodeNames = ['n1', 'n2', 'n3']
const guestNames = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const priorities = [undefined, 'system-maintenance', 'user-triggered', 'system-critical']

/** A cache that shows what the server held when it was last brought up to date. */
class LaggingCache<T extends KubeObject> implements Lister<T> {
  #objects: readonly T[] = []
  readonly #read: () => readonly T[]
  readonly #indexers: Readonly<Record<string, (object: T) => readonly string[]>>
  readonly #onChange: (before: readonly T[], after: readonly T[]) => void

  constructor(
    read: () => readonly T[],
    indexers: Readonly<Record<string, (object: T) => readonly string[]>> = {},
    onChange: (before: readonly T[], after: readonly T[]) => void = () => undefined,
  ) {
    this.#read = read
    this.#indexers = indexers
    this.#onChange = onChange
    this.update()
  }

  update(): void {
    const before = this.#objects
    this.#objects = structuredClone(this.#read())
    this.#onChange(before, this.#objects)
  }
  get(key: string): T | undefined {
    return this.#objects.find((object) => keyOf(object) === key)
  }
  list(): T[] {
    return [...this.#objects]
  }
  byIndex(index: string, value: string): T[] {
    return this.#objects.filter((object) => this.#indexers[index]?.(object).includes(value))
  }
}

interface Limits {
  readonly perCluster: number
  readonly perNode: number
}

/** A leader with its own memory and caches; its calls fail once it has lost its lease. */
function leaderOf(client: FakeClient, limits: Limits, random: () => number, clock: { now: number }) {
  const now = () => clock.now
  const started = new Set<string>()
  const expectations = new Expectations({ now })
  const ownWrites = new OwnWrites(now)
  const jobs = new LaggingCache<VirtualMachineInstanceMigration>(
    () => client.objects(migrations),
    { byVmi: vmiKeyOf },
    (before, after) => {
      for (const gone of before.filter((each) => !after.some(({ metadata }) => metadata.uid === each.metadata.uid))) {
        ownWrites.forget(keyOf(gone))
        started.delete(gone.metadata.uid ?? '')
      }
    },
  )
  const launchers = new LaggingCache<Pod>(
    () => client.objects(pods),
    { byVmiUid: vmiUidOf },
    (before, after) => {
      for (const pod of after.filter((each) => !before.some(({ metadata }) => metadata.uid === each.metadata.uid))) {
        const job = jobs.list().find(({ metadata }) => metadata.uid === pod.metadata.labels?.[jobUid])
        if (job !== undefined) expectations.creationObserved(keyOf(job))
      }
    },
  )
  const guests = new LaggingCache<VirtualMachineInstance>(() => client.objects(vmis))
  let callsLeft = Infinity
  const checked = new Proxy(client, {
    get(target, key) {
      const member = Reflect.get(target, key) as unknown
      if (typeof member !== 'function') return member
      const call = member.bind(target) as (...given: unknown[]) => Promise<unknown>
      if (!['get', 'list', 'create', 'update', 'patch', 'delete'].includes(String(key))) return call
      return async (...given: unknown[]) => {
        if (callsLeft-- <= 0) throw new Error('the lease is lost')
        const answer = await call(...given)
        if (key === 'create' && random() < 0.1) throw new Error('the answer was lost')
        return answer
      }
    },
  })
  const fresh = <T extends KubeObject>(resource: ResourceType<T>) => freshLister(client, resource)
  const deps: Deps = {
    client: checked,
    migrations: jobs,
    vmis: guests,
    pods: launchers,
    attachments: { get: () => undefined, list: () => [], byIndex: () => [] },
    claims: fresh(persistentVolumeClaims),
    storageClasses: fresh(storageClasses),
    dataVolumes: fresh(dataVolumes),
    settings: { launcherImage: 'launcher:v1' },
    nodes: fresh(nodes),
    namespaceLabels: () => ({}),
    configuration: () =>
      mergeConfiguration({
        migrations: {
          parallelMigrationsPerCluster: limits.perCluster,
          parallelOutboundMigrationsPerNode: limits.perNode,
        },
      }),
    render: (owner) => {
      const { metadata, spec } = launcher(owner)
      const { nodeName: _node, ...unbound } = spec
      return { metadata: { ...metadata, name: '' }, spec: unbound } as Pod
    },
    events: eventLog(),
    expectations,
    ownWrites,
    vmiWrites: new OwnWrites(now),
    started,
    now: () => new Date(clock.now),
  }
  return {
    deps,
    caches: [jobs, launchers, guests] as const,
    /** The lease ends after so many more calls. */
    loseLeaseAfter: (calls: number) => void (callsLeft = calls),
  }
}

const isFinal = (phase: string | undefined) => phase === 'Succeeded' || phase === 'Failed'

/** One cluster that lives through a random schedule; throws nothing, answers what was exceeded, with the seed. */
async function live(
  seed: number,
): Promise<{ readonly broken: string[]; readonly moved: number; readonly leaders: number }> {
  const random = seeded(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const limits = { perCluster: 1 + Math.floor(random() * 3), perNode: 1 + Math.floor(random() * 2) }
  const guests = guestNames.map((name) => guest(name, pick(nodeNames)))
  const client = fakeClient([...guests, ...guests.map(launcher)])
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') }
  const broken: string[] = []
  let leader = leaderOf(client, limits, random, clock)
  let [asked, moved, leaders] = [0, 0, 1]

  const at = (name: string) => ({ namespace: 'default', name })
  const nameOf = (object: KubeObject) => object.metadata.name
  const targets = () => client.objects(pods).filter(({ metadata }) => metadata.labels?.[jobUid] !== undefined)
  const agents = (name: string, migrationState: object, more: object = {}) =>
    client.patch(vmis, at(name), { status: { migrationState, ...more } }, { type: 'merge' })
  const work = async () => {
    const job = pick(leader.deps.migrations.list().filter(({ status }) => !isFinal(status?.phase) || random() < 0.2))
    if (job !== undefined) await reconcile(keyOf(job), leader.deps).catch(() => undefined)
  }

  const ask = async () => {
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
  const kubelet = async () => {
    const pod = pick(targets())
    if (pod === undefined || pod.status?.phase === 'Failed') return
    if (random() < 0.1) {
      await client.patch(
        pods,
        at(nameOf(pod)),
        { status: { phase: 'Failed' } },
        { type: 'merge', subresource: 'status' },
      )
      return
    }
    const owner = guestNames.find((name) => pod.metadata.ownerReferences?.[0]?.name === name)
    const here = client.objects(vmis).find((each) => nameOf(each) === owner)?.status?.nodeName
    const nodeName = pod.spec.nodeName ?? pick(nodeNames.filter((name) => name !== here))
    await client.patch(pods, at(nameOf(pod)), { spec: { nodeName } }, { type: 'merge' })
    const containerStatuses = [{ name: 'compute', ready: true, state: { running: {} } }]
    const status = { phase: 'Running', containerStatuses }
    await client.patch(pods, at(nameOf(pod)), { status }, { type: 'merge', subresource: 'status' })
  }
  const nodesWork = async () => {
    const moving = client.objects(vmis).filter(({ status }) => {
      const state = status?.migrationState
      return state?.migrationUid !== undefined && state.completed !== true && state.failed !== true
    })
    const one = pick(moving)
    const state = one?.status?.migrationState
    if (one === undefined || state === undefined) return
    if (state.targetNodeAddress === undefined) await agents(nameOf(one), { targetNodeAddress: '192.0.2.2' })
    else if (state.startTimestamp === undefined) await agents(nameOf(one), { startTimestamp: '2026-01-01T00:00:00Z' })
    else if (random() < 0.2 || state.abortRequested) await agents(nameOf(one), { failed: true, completed: true })
    else {
      moved += 1
      await agents(nameOf(one), { completed: true }, { nodeName: state.targetNode })
      // A leader that did not see the source's pod has not named it, and it ends all the same.
      const left = client
        .objects(pods)
        .find(
          ({ metadata, spec, status }) =>
            metadata.ownerReferences?.[0]?.name === nameOf(one) &&
            metadata.name !== state.targetPod &&
            spec.nodeName === state.sourceNode &&
            status?.phase === 'Running',
        )
      if (left !== undefined)
        await client.patch(
          pods,
          at(nameOf(left)),
          { status: { phase: 'Succeeded' } },
          { type: 'merge', subresource: 'status' },
        )
    }
  }
  const cancel = async () => {
    const job = pick(client.objects(migrations))
    if (job !== undefined) await client.delete(migrations, at(nameOf(job)))
  }
  const succession = async () => {
    leader.loseLeaseAfter(1 + Math.floor(random() * 8))
    for (let last = 0; last < 4; last++) await work()
    leaders += 1
    leader = leaderOf(client, limits, random, clock)
  }
  const seeOneCache = async () => pick(leader.caches).update()
  const seeAll = async () => leader.caches.forEach((cache) => cache.update())
  const wait = async () => void (clock.now += Math.floor(random() * 15_000))

  /** What happens, and how often beside the others. */
  const happenings: readonly (readonly [number, () => Promise<unknown>])[] = [
    [14, work],
    [4, seeOneCache],
    [3, seeAll],
    [5, ask],
    [4, kubelet],
    [5, nodesWork],
    [1, wait],
    [0.5, cancel],
    [1.5, succession],
  ]
  const weight = happenings.reduce((all, [one]) => all + one, 0)
  const happening = () => {
    let at = random() * weight
    return (happenings.find(([one]) => (at -= one) < 0) ?? happenings[0]!)[1]
  }
  for (let step = 0; step < steps; step++) {
    await happening()()
    broken.push(...exceeded(client, limits).map((what) => `seed ${seed}, step ${step}: ${what}`))
    if (broken.length > 0) break
  }
  /** Nothing new happens any more, and all that was begun comes to its end. */
  for (let round = 0; round < 40 && broken.length === 0; round++) {
    await seeAll()
    for (const job of leader.deps.migrations.list()) await reconcile(keyOf(job), leader.deps).catch(() => undefined)
    for (const each of guests) if (each) await nodesWork()
    clock.now += 1_000
  }
  broken.push(...forgotten(client).map((what) => `seed ${seed}: ${what}`))
  return { broken, moved, leaders }
}

/** Guests whose nodes still work on a move that nobody follows: none of them could ever move again. */
function forgotten(client: FakeClient): string[] {
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
function exceeded(client: FakeClient, { perCluster, perNode }: Limits): string[] {
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

test(`${schedules} random schedules from seed ${firstSeed}: the limits hold, whoever leads and however late its caches are`, async () => {
  const results: Awaited<ReturnType<typeof live>>[] = []
  for (let seed = firstSeed; seed < firstSeed + schedules; seed++) results.push(await live(seed))

  expect(results.flatMap(({ broken }) => broken)).toEqual([])
  const sum = (count: (result: (typeof results)[number]) => number) => results.reduce((all, one) => all + count(one), 0)
  // Where nothing moves and nobody follows anybody nothing is proved.
  expect(sum(({ moved }) => moved)).toBeGreaterThan(schedules / 2)
  expect(sum(({ leaders }) => leaders)).toBeGreaterThan(schedules)
}, 3_600_000)
