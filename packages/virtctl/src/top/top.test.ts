import { expect, test } from '@jest/globals'
import { readExposition } from './exposition.ts'
import { table } from './table.ts'
import { rows } from './usage.ts'
import type { Usage } from './usage.ts'

const guest = (name: string, more: Partial<Usage>): Usage => ({ namespace: 'n', name, node: 'node-1', ...more })
const snapshot = (at: number, ...guests: Usage[]) => ({ at, guests, missing: [] })

test('counters become rates over the time between two looks', () => {
  const before = snapshot(1000, guest('a', { cpuSeconds: 10, diskRead: 0, received: 1000 }))
  const now = snapshot(3000, guest('a', { cpuSeconds: 11, diskRead: 4096, received: 3000, memory: 512, cpus: 9 }))
  expect(rows(before, now, 'name')).toEqual([
    {
      namespace: 'n',
      name: 'a',
      node: 'node-1',
      cpus: 0.5,
      memory: 512,
      diskRead: 2048,
      diskWritten: undefined,
      received: 1000,
      sent: undefined,
    },
  ])
})

test('a guest that is new, or began again, has no rates yet; its CPUs come from the metrics API', () => {
  const before = snapshot(0, guest('again', { cpuSeconds: 50 }))
  const now = snapshot(1000, guest('again', { cpuSeconds: 1, cpus: 0.2 }), guest('new', { cpuSeconds: 5, sent: 10 }))
  expect(rows(before, now, 'name').map(({ cpus, sent }) => [cpus, sent])).toEqual([
    [0.2, undefined],
    [undefined, undefined],
  ])
})

test('the busiest come first, what is not known last', () => {
  const now = snapshot(0, guest('idle', { cpus: 0 }), guest('unknown', {}), guest('busy', { cpus: 2 }))
  expect(rows(undefined, now, 'cpu').map(({ name }) => name)).toEqual(['busy', 'idle', 'unknown'])
})

test('a table lines numbers up', () => {
  const now = snapshot(
    0,
    guest('a', { cpus: 0.05, memory: 300 * 1024 ** 2 }),
    guest('longer', { cpus: 1.5, memory: 1.5 * 1024 ** 3 }),
  )
  expect(table(rows(undefined, now, 'name'), true).split('\n')).toEqual([
    'NAMESPACE  NAME    NODE      CPU  MEMORY  READ/s  WRITE/s  RX/s  TX/s',
    'n          a       node-1    50m   300Mi       -        -     -     -',
    'n          longer  node-1  1500m   1.5Gi       -        -     -     -',
  ])
})

test('values are read with their labels, whatever else is in the text', () => {
  const text = [
    '# HELP kubevirt_vmi_x What it is.',
    'kubevirt_vmi_x{name="a",drive="v\\"d\\\\a"} 1.5e3 1700000000',
    'other{name="a"} 1',
    'kubevirt_vmi_plain 2',
    'kubevirt_vmi_broken NaN',
  ].join('\n')
  expect(readExposition(text, 'kubevirt_vmi_')).toEqual([
    { name: 'kubevirt_vmi_x', labels: { name: 'a', drive: 'v"d\\a' }, value: 1500 },
    { name: 'kubevirt_vmi_plain', labels: {}, value: 2 },
  ])
})
