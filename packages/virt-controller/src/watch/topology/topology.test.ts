import { expect, test } from '@jest/globals'
import { nodes } from '@kubevirt-ts/api'
import type { Node } from '@kubevirt-ts/api'
import { listerOf } from '@kubevirt-ts/controller/testing'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { vmi, withStatus } from '@kubevirt-ts/libvmi'
import { updateNodes } from './controller.ts'
import { lowestFrequency } from './frequencies.ts'

const scheduling = 'scheduling.node.kubevirt.io/tsc-frequency-'

function node(name: string, frequency: number, more: Record<string, string> = {}): Node {
  const labels = {
    'kubevirt.io/schedulable': 'true',
    'cpu-timer.node.kubevirt.io/tsc-frequency': String(frequency),
    ...more,
  }
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } }
}

async function labelled(all: Node[], inUse: number[] = []): Promise<string[][]> {
  const client = fakeClient(all)
  const guests = inUse.map((tscFrequency) => vmi(withStatus({ phase: 'Running', topologyHints: { tscFrequency } })))
  await updateNodes({
    client,
    nodes: listerOf(all),
    vmis: listerOf(guests),
    configuration: () => ({}),
    periodMs: 0,
    random: () => 0,
  })
  return client.objects(nodes).map(({ metadata }) =>
    Object.keys(metadata.labels ?? {})
      .filter((key) => key.startsWith(scheduling))
      .map((key) => key.slice(scheduling.length))
      .toSorted(),
  )
}

test('new guests see the lowest frequency of the nodes that take guests', () => {
  const off = node('c', 1_000_000, { 'kubevirt.io/schedulable': 'false' })
  expect(lowestFrequency([node('a', 3_000_000), node('b', 2_000_000), off], {})).toBe(2_000_000)
  const configured = { developerConfiguration: { minimumClusterTSCFrequency: 1_500_000 } }
  expect(lowestFrequency([node('a', 3_000_000)], configured)).toBe(1_500_000)
  expect(lowestFrequency([], {})).toBeUndefined()
})

test('a node is labelled with the frequencies that it can give a guest', async () => {
  const scalable = { 'cpu-timer.node.kubevirt.io/tsc-scalable': 'true' }
  expect(await labelled([node('low', 2_000_000), node('high', 3_000_000, scalable), node('fixed', 3_000_000)])).toEqual(
    [['2000000'], ['2000000'], []],
  )
})

test('counters that differ by less than QEMU minds count as equal', async () => {
  expect(await labelled([node('a', 2_000_000_000), node('b', 2_000_400_000)])).toEqual([['2000000000'], ['2000000000']])
  expect(await labelled([node('a', 2_000_000_000), node('b', 2_000_600_000)])).toEqual([['2000000000'], []])
})

test('labels stay as long as a guest sees the frequency, and go with the last', async () => {
  const old = { [`${scheduling}4000000`]: 'true', 'cpu-timer.node.kubevirt.io/tsc-scalable': 'true' }
  expect(await labelled([node('a', 4_000_000, old), node('b', 2_000_000)], [4_000_000])).toEqual([
    ['2000000', '4000000'],
    ['2000000'],
  ])
  expect(await labelled([node('a', 4_000_000, old), node('b', 2_000_000)])).toEqual([['2000000'], ['2000000']])
})
