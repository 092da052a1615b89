import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { vmi } from '@kubevirt-ts/libvmi'
import { conversationsOf, ensureDoors, ensureUnderstood } from './skew.ts'

const speaking = (...supportedCmdVersions: number[]) => ({
  info: async () => ({ supportedCmdVersions, holdsEarlyGuests: false }),
})

test('a launcher that knows a version in common is understood, whatever else it knows', async () => {
  await ensureUnderstood(speaking(1))
  await ensureUnderstood(speaking(2, 1))
})

test.each([
  [[2], 'version 2'],
  [[], 'version unknown'],
])('a launcher that speaks %j is named as of another version', async (versions, named) => {
  const refused = ensureUnderstood(speaking(...versions))
  await expect(refused).rejects.toMatchObject({
    reason: 'LauncherVersionSkew',
    message: expect.stringContaining(named),
  })
})

const copied: VirtualMachineInstance = { ...vmi(), status: { migrationMethod: 'BlockMigration' } }

test('memory and disks each have their conversation, disks only where they are copied', () => {
  expect(conversationsOf(vmi())).toEqual([0, 49152])
  expect(conversationsOf(copied)).toEqual([0, 49152, 49153])
})

test('a target that opened no door for one of them is named as of another version', () => {
  const doors = { '40000': 0, '40001': 49152 }
  ensureDoors(vmi(), doors)
  ensureDoors(copied, { ...doors, '40002': 49153 })
  expect(() => ensureDoors(copied, doors)).toThrow('no port for copied disks; it is of another version')
  expect(() => ensureDoors(vmi(), {})).toThrow('no port for libvirt, the memory')
})
