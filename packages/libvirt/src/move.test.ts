import { describe, expect, test } from '@jest/globals'
import { carryThrough, type MoveSteps, type Whereabouts } from './move.ts'

/** A guest at two places; each step says what it does there, or breaks. */
function journey(breaks: Partial<Record<'prepare' | 'perform' | 'finish', 'refused' | 'lost' | 'unheard'>> = {}) {
  const steps: string[] = []
  const running = { here: true, there: false }
  let connected = true
  /** `refused`: the step says no. `lost`: the connection breaks before it is done; `unheard`: after it. */
  const may = (name: keyof typeof breaks, done: () => void = () => {}): void => {
    const how = breaks[name]
    if (how === undefined || how === 'unheard') done()
    if (how === 'lost' || how === 'unheard') connected = false
    if (how !== undefined) throw new Error(`${name} ${how}`)
  }
  const note = (name: string): void => {
    steps.push(name)
    if (running.here && running.there) throw new Error('two of it run')
  }
  const all: MoveSteps = {
    async begin() {
      note('begin')
    },
    async prepare() {
      note('prepare')
      may('prepare')
    },
    async perform() {
      note('perform')
      may('perform')
      running.here = false
    },
    async finish(cancelled) {
      note(`finish${cancelled ? '(cancelled)' : ''}`)
      if (cancelled) return
      may('finish', () => (running.there = true))
    },
    async confirm(cancelled) {
      if (cancelled) running.here = true
      note(`confirm${cancelled ? '(cancelled)' : ''}`)
    },
    isConnected: async () => connected,
  }
  return { all, steps, running, disconnect: () => (connected = false) }
}

const never = {
  whereIsIt: async (): Promise<Whereabouts> => {
    throw new Error('nobody had to be asked')
  },
}

test('a guest that moves is asked for nowhere, and ends here when it runs there', async () => {
  const { all, steps, running } = journey()

  await carryThrough(all, never)

  expect(steps).toEqual(['begin', 'prepare', 'perform', 'finish', 'confirm'])
  expect(running).toEqual({ here: false, there: true })
})

test.each<[string, Parameters<typeof journey>[0], string[]]>([
  ['the destination is not ready', { prepare: 'refused' }, ['confirm(cancelled)']],
  ['it cannot be copied', { perform: 'refused' }, ['perform', 'finish(cancelled)']],
  ['the destination cannot let it run', { finish: 'refused' }, ['perform', 'finish', 'confirm(cancelled)']],
])('where %s it goes on here without asking anybody', async (_, breaks, last) => {
  const { all, steps, running } = journey(breaks)

  await expect(carryThrough(all, never)).rejects.toThrow('refused')

  expect(steps.slice(-last.length)).toEqual(last)
  expect(running).toEqual({ here: true, there: false })
})

test('a move that is cancelled while its destination makes ready copies nothing', async () => {
  const { all, steps, running } = journey()
  const cancelling = new AbortController()
  const slow: MoveSteps = { ...all, prepare: () => all.prepare().then(() => cancelling.abort(new Error('enough'))) }

  await expect(carryThrough(slow, { ...never, cancelled: cancelling.signal })).rejects.toThrow('enough')

  expect(steps).toEqual(['begin', 'prepare', 'finish(cancelled)', 'confirm(cancelled)'])
  expect(running).toEqual({ here: true, there: false })
})

describe('where the destination is lost', () => {
  test('before it was told to let the guest run, it goes on here', async () => {
    const { all, steps, running, disconnect } = journey()
    const broken: MoveSteps = { ...all, perform: () => all.perform().then(disconnect) as Promise<never> }

    await expect(carryThrough(broken, never)).rejects.toThrow('broke before the guest was switched over')

    expect(steps).not.toContain('finish')
    expect(running).toEqual({ here: true, there: false })
  })

  test.each<['lost' | 'unheard', Whereabouts]>([
    ['lost', 'here'],
    ['unheard', 'there'],
  ])('after that (%s) it stands still until somebody knows that it runs %s', async (how, where) => {
    const { all, running } = journey({ finish: how })
    const answer = Promise.withResolvers<Whereabouts>()
    const asked = Promise.withResolvers<void>()
    const whereIsIt = (): Promise<Whereabouts> => {
      asked.resolve()
      return answer.promise
    }
    const outcome = carryThrough(all, { whereIsIt }).then(
      () => 'there',
      () => 'here',
    )

    await asked.promise
    expect(running.here).toBe(false)
    answer.resolve(where)

    expect(await outcome).toBe(where)
    expect(running).toEqual({ here: where === 'here', there: where === 'there' })
  })
})
