import { expect, test } from '@jest/globals'
import type { DomainDisk } from '@kubevirt-ts/domain'
import { changeMedium } from './disks.ts'

const drive: DomainDisk = {
  $type: 'file',
  $device: 'cdrom',
  source: { $file: '/disks/medium.img' },
  target: { $dev: 'sda', $bus: 'sata' },
}
const closed = 'unable to execute QEMU command: Tray of the device is not open'

/** A drive whose changes fail with these words, one after the other; it takes the medium for inserted all the same. */
function driveThatFails(...failures: (string | undefined)[]) {
  const updates: string[] = []
  const updateDevice = async (xml: string): Promise<void> => {
    updates.push(xml.includes('/disks/medium.img') ? 'insert' : 'empty')
    const failure = failures.shift()
    if (failure !== undefined) throw new Error(failure)
  }
  return { updates, updateDevice }
}

test('a medium is inserted once', async () => {
  const domain = driveThatFails()
  await changeMedium(domain, drive)
  expect(domain.updates).toEqual(['insert'])
})

test('a tray that the guest closed in between is emptied before the next attempt, until that goes through', async () => {
  const domain = driveThatFails(closed, undefined, closed, closed)
  await changeMedium(domain, drive)
  expect(domain.updates).toEqual(['insert', 'empty', 'insert', 'empty', 'empty', 'insert'])
})

test('another failure is told at once, and a tray that is closed for ever after some attempts', async () => {
  const broken = driveThatFails('no such file')
  await expect(changeMedium(broken, drive)).rejects.toThrow('no such file')
  expect(broken.updates).toEqual(['insert'])
  await expect(changeMedium(driveThatFails(...Array(20).fill(closed)), drive)).rejects.toThrow(closed)
})
