import { keyOf } from '@kubevirt-ts/controller'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { reconcile } from '../../src/watch/migration/reconcile.ts'
import { guest, launcher } from '../migration-world.ts'
import { seeded } from '../stress/model.ts'
import { leaderOf } from './leader.ts'
import { guestNames, nodeNames } from './names.ts'
import { playersOf } from './players.ts'
import { exceeded, forgotten, isFinal } from './rules.ts'

const steps = 250

/** What came of a random schedule: which rules were broken, and how much there was to break them. */
export type Outcome = { readonly broken: readonly string[]; readonly moved: number; readonly leaders: number }

/** One cluster that lives through a random schedule; throws nothing, answers what was exceeded, with the seed. */
export async function live(seed: number): Promise<Outcome> {
  const random = seeded(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const limits = { perCluster: 1 + Math.floor(random() * 3), perNode: 1 + Math.floor(random() * 2) }
  const guests = guestNames.map((name) => guest(name, pick(nodeNames)))
  const client = fakeClient([...guests, ...guests.map(launcher)])
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') }
  const broken: string[] = []
  const { ask, cancel, kubelet, nodesWork, moved } = playersOf(client, random)
  let leader = leaderOf(client, limits, random, clock)
  let leaders = 1

  const work = async () => {
    const job = pick(leader.deps.migrations.list().filter(({ status }) => !isFinal(status?.phase) || random() < 0.2))
    if (job !== undefined) await reconcile(keyOf(job), leader.deps).catch(() => undefined)
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
    for (const _each of guests) await nodesWork()
    clock.now += 1_000
  }
  broken.push(...forgotten(client).map((what) => `seed ${seed}: ${what}`))
  return { broken, moved: moved(), leaders }
}
