import { expect, test } from '@jest/globals'
import type { Disk } from '@kubevirt-ts/api'
import { assignTargets } from './targets.ts'

const virtio = (name: string): Disk => ({ name, disk: { bus: 'virtio' } })
const sata = (name: string): Disk => ({ name, cdrom: { bus: 'sata' } })

test('each bus counts its own disks', () => {
  expect([...assignTargets([virtio('a'), sata('b'), virtio('c')], [])]).toEqual([
    ['a', 'vda'],
    ['b', 'sda'],
    ['c', 'vdb'],
  ])
})

test('a disk keeps its name when another one before it goes away or comes', () => {
  const status = [{ name: 'b', target: 'vdb' }]

  expect(assignTargets([virtio('b'), virtio('new')], status)).toEqual(
    new Map([
      ['b', 'vdb'],
      ['new', 'vda'],
    ]),
  )
})

test('a name of another bus is not kept', () => {
  expect(assignTargets([virtio('a')], [{ name: 'a', target: 'sda' }]).get('a')).toBe('vda')
})

test('after z comes aa', () => {
  const disks = Array.from({ length: 28 }, (_, index) => virtio(`d${index}`))
  const targets = assignTargets(disks, [])

  expect([targets.get('d25'), targets.get('d26'), targets.get('d27')]).toEqual(['vdz', 'vdaa', 'vdab'])
})
