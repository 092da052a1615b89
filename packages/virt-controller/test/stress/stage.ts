import { watchCluster } from './cluster.ts'
import type { ControlPlane } from './control-plane.ts'
import { prepare, startController } from './controllers.ts'
import type { Controller } from './controllers.ts'
import { live } from './history.ts'
import { insistent } from './insistent.ts'
import { seeded } from './model.ts'
import { play } from './players.ts'
import type { Witness } from './players.ts'

export interface Plan {
  readonly seed: number
  readonly histories: number
  readonly steps: number
  readonly parallel: number
  /** Seconds that a step of a history may take. */
  readonly patience: number
}

export interface Stage extends AsyncDisposable {
  readonly controllers: readonly Controller[]
  readonly witness: Witness
  readonly signal: AbortSignal
  /** Throws where something happened that must never. */
  verdict(told: string): string
}

export async function setStage(plane: ControlPlane, { seed }: Plan, replicas = 1): Promise<Stage> {
  await prepare(plane.client)
  const stop = new AbortController()
  const witness = play(plane.client, stop.signal)
  const controllers: Controller[] = []
  for (let index = 0; index < replicas; index++) {
    controllers.push(await startController(plane, `controller-${index}`, seeded(seed + index)))
  }
  return {
    controllers,
    witness,
    signal: stop.signal,
    verdict: (told) => {
      if (witness.wrong.length > 0) throw new Error(witness.wrong.join('; '))
      const writes = controllers.reduce((sum, { proxy }) => sum + writesOf(proxy.requests).length, 0)
      return `${told}, ${witness.podsOf.size} guests, each with one pod; ${writes} writes`
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      for (const controller of controllers) await controller[Symbol.asyncDispose]()
    },
  }
}

type Requests = Controller['proxy']['requests']

/** Leases and events are nobody's state. */
export function writesOf(requests: Requests): Requests {
  return requests.filter(({ method, path }) => method !== 'GET' && !/\/(leases|events)/.test(path))
}

export async function liveAll(
  { client }: Pick<ControlPlane, 'client'>,
  { seed, histories, steps, parallel, patience }: Plan,
): Promise<void> {
  const over = new AbortController()
  const cluster = await watchCluster(insistent(client), over.signal)
  const waiting = Array.from({ length: histories }, (_, index) => seed + index)
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await live(next, steps, cluster, patience * 1000)
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker)).finally(() => over.abort())
}
