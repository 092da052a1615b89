import { describe, expect, test } from '@jest/globals'
import type { Node, Pod } from '@kubevirt-ts/api'
import { nodeResourcesFit, nodeUnschedulable, snapshotOf } from '@kubevirt-ts/scheduling'
import { CycleState } from './cycle-state.ts'
import { fitMessage } from './fit-error.ts'
import { Framework, type EnabledPlugin } from './framework.ts'
import { extensionPoints, implementsPoint, type ExtensionPoint, type Plugin } from './plugin.ts'
import { rulePlugin } from './rule-plugin.ts'
import { enough, schedulePod } from './schedule-pod.ts'
import { statusOf } from './status.ts'
import { WaitingPods } from './waiting-pods.ts'

const ok = statusOf('Success')

function frameworkOf(...plugins: Plugin[]): Framework {
  const at = (point: ExtensionPoint): EnabledPlugin[] =>
    plugins.filter((plugin) => implementsPoint(plugin, point)).map((plugin) => ({ plugin }))
  const lists = Object.fromEntries(extensionPoints.map((point) => [point, at(point)]))
  return new Framework({
    schedulerName: 'x',
    plugins: lists as unknown as Record<ExtensionPoint, EnabledPlugin[]>,
    waitingPods: new WaitingPods(),
  })
}

const node = (name: string, cpu = '4', unschedulable = false): Node => ({
  metadata: { name },
  spec: unschedulable ? { unschedulable } : {},
  status: { allocatable: { cpu, pods: '10' } },
})

function pod(cpu = '1'): Pod {
  const containers = [{ name: 'c', resources: { requests: { cpu } } }]
  return { metadata: { name: 'p', namespace: 'a', uid: 'p' }, spec: { containers } }
}

function schedule(framework: Framework, nodes: Node[], wanted = pod()) {
  return schedulePod(framework, wanted, new CycleState(snapshotOf({ nodes })), { random: () => 0 })
}

async function words(framework: Framework, nodes: Node[], wanted = pod()): Promise<string> {
  const result = await schedule(framework, nodes, wanted)
  if (result.kind === 'unfit') return fitMessage(result.diagnosis)
  return result.kind === 'fits' ? result.node : `${result.status.code}: ${result.status.reasons.join()}`
}

const rules = [rulePlugin({ filter: nodeUnschedulable }), rulePlugin({ filter: nodeResourcesFit() })]

describe('a pod that fits nowhere is told why in the words of kube-scheduler', () => {
  test('reasons are counted and sorted', async () => {
    const nodes = [node('n1', '4', true), node('n2', '1'), node('n3', '1')]
    expect(await words(frameworkOf(...rules), nodes, pod('2'))).toBe(
      '0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.',
    )
  })

  test('nodes that a plugin left out are counted under its name', async () => {
    const narrow: Plugin = { name: 'Narrow', preFilter: () => ({ status: ok, nodeNames: new Set(['n1']) }) }
    const nodes = [node('n1', '4', true), node('n2'), node('n3')]
    expect(await words(frameworkOf(narrow, ...rules), nodes)).toBe(
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't satisfy plugin(s) [Narrow].",
    )
  })

  test('a refusal of the pod itself stands alone', async () => {
    const refuse: Plugin = { name: 'Refuse', preFilter: () => ({ status: statusOf('Unschedulable', 'not today') }) }
    expect(await words(frameworkOf(refuse), [node('n1'), node('n2')])).toBe('0/2 nodes are available: not today.')
  })
})

describe('plugins', () => {
  test('that skip PreFilter are not asked to filter', async () => {
    const skipping: Plugin = {
      name: 'Skipping',
      preFilter: () => ({ status: statusOf('Skip') }),
      filter: () => statusOf('Unschedulable', 'asked'),
    }
    expect(await words(frameworkOf(skipping), [node('n1')])).toBe('n1')
  })

  test('that narrow the nodes down leave only what they agree on', async () => {
    const narrow = (name: string, ...names: string[]): Plugin => ({
      name,
      preFilter: () => ({ status: ok, nodeNames: new Set(names) }),
    })
    const nodes = [node('n1'), node('n2'), node('n3')]
    expect(await words(frameworkOf(narrow('A', 'n1', 'n2'), narrow('B', 'n2', 'n3')), nodes)).toBe('n2')
    expect(await words(frameworkOf(narrow('A', 'n1'), narrow('B', 'n3')), nodes)).toContain(
      "node(s) didn't satisfy plugin(s) [A B] simultaneously",
    )
  })

  test('that fail end the cycle with an error', async () => {
    const broken: Plugin = {
      name: 'Broken',
      filter: () => {
        throw new Error('boom')
      },
    }
    expect(await words(frameworkOf(broken), [node('n1')])).toBe('Error: plugin Broken failed at filter: boom')
    const erring: Plugin = { name: 'Erring', filter: () => statusOf('Error', 'cannot tell') }
    expect(await words(frameworkOf(erring), [node('n1')])).toBe('Error: plugin Erring failed at filter: cannot tell')
  })

  test('may answer later', async () => {
    const slow: Plugin = {
      name: 'Slow',
      filter: async (_pod, { name }) => (name === 'n1' ? statusOf('Unschedulable', 'no') : ok),
      score: async (_pod, { name }) => (name === 'n3' ? 100 : 0),
    }
    expect(await words(frameworkOf(...rules, slow, ...rules), [node('n1'), node('n2'), node('n3')])).toBe('n3')
  })

  test('that score beyond the limits are refused', async () => {
    const loud: Plugin = { name: 'Loud', score: () => 101 }
    expect(await words(frameworkOf(loud), [node('n1'), node('n2')])).toContain('101 is not between 0 and 100')
  })

  test('are all asked to unreserve, last first, whatever fails', async () => {
    const asked: string[] = []
    const reserving = (name: string, fails = false): Plugin => ({
      name,
      reserve: () => ok,
      unreserve: () => {
        asked.push(name)
        if (fails) throw new Error('boom')
      },
    })
    const framework = frameworkOf(reserving('A'), reserving('B', true), reserving('C'))
    const errors: unknown[] = []
    await framework.unreserve(pod(), 'n1', new CycleState(snapshotOf({ nodes: [] })), (error) => errors.push(error))

    expect(asked).toEqual(['C', 'B', 'A'])
    expect(errors).toHaveLength(1)
  })

  test('the first that does not skip binds', async () => {
    const binding = (name: string, code: 'Skip' | 'Success'): Plugin => ({ name, bind: () => statusOf(code) })
    const framework = frameworkOf(binding('A', 'Skip'), binding('B', 'Success'), binding('C', 'Success'))
    const status = await framework.bind(pod(), 'n1', new CycleState(snapshotOf({ nodes: [] })))
    expect(status).toMatchObject({ code: 'Success', plugin: 'B' })
  })
})

test('a waiting pod goes on when all plugins allow it, or is rejected by one or by time', async () => {
  const waiting = new WaitingPods()
  const allowed = waiting.wait(
    'p',
    new Map([
      ['A', 10_000],
      ['B', 10_000],
    ]),
  )
  waiting.get('p')!.allow('A')
  expect(waiting.get('p')!.pending).toEqual(['B'])
  waiting.get('p')!.allow('B')
  expect((await allowed).code).toBe('Success')

  const rejected = waiting.wait('q', new Map([['A', 10_000]]))
  waiting.get('q')!.reject('A', 'no')
  expect(await rejected).toMatchObject({ code: 'Unschedulable', reasons: ['no'], plugin: 'A' })

  expect(await waiting.wait('r', new Map([['A', 5]]))).toMatchObject({ code: 'Unschedulable', plugin: 'A' })
  expect(waiting.list()).toEqual([])
})

test.each([
  [50, 0, 50],
  [100, 0, 100],
  [1000, 0, 420],
  [5000, 0, 500],
  [6000, 0, 300],
  [5000, 100, 5000],
  [5000, 1, 100],
])('of %i nodes at %i per cent, %i are enough', (nodes, percentage, wanted) => {
  expect(enough(nodes, percentage)).toBe(wanted)
})
