import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { listerOf } from '@kubevirt-ts/controller/testing'
import { vmi, withName } from '@kubevirt-ts/libvmi'
import { vsockCids } from './vsock.ts'

const having = (cid: number): VirtualMachineInstance => ({
  ...vmi(withName(`guest-${cid}`)),
  status: { phase: 'Running', VSOCKCID: cid },
})

const last = 2 ** 32 - 2

test('a context id that a guest has is given to nobody else, also by a controller that was just started', () => {
  const cids = vsockCids(listerOf([having(7), having(8)]), () => 7)
  expect(cids()).toBe(9)
})

test('after the last id the search goes on with the first that guests may have', () => {
  expect(vsockCids(listerOf([having(last), having(3)]), () => last)()).toBe(4)
})

test('ids are random within what guests may have', () => {
  const cids = vsockCids(listerOf<VirtualMachineInstance>([]))
  for (let each = 0; each < 1000; each++) {
    const cid = cids()
    expect(cid).toBeGreaterThanOrEqual(3)
    expect(cid).toBeLessThanOrEqual(last)
  }
})
