import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { vmi, withPhase, withStatus } from '@kubevirt-ts/libvmi'
import { isOutdated, mayCountOtherwise } from './outdated.ts'

const running = (launcherContainerImageVersion: string): VirtualMachineInstance =>
  vmi(withPhase('Running'), withStatus({ launcherContainerImageVersion }))

test('a guest that moved to the new launcher is counted anew, though it ran all the time', () => {
  const [before, after] = [running('launcher:v1'), running('launcher:v2')]

  expect([before, after].map((each) => isOutdated(each, 'launcher:v2'))).toEqual([true, false])
  expect(mayCountOtherwise(before, after)).toBe(true)
})

test('a change of anything else is no reason to count', () => {
  const before = running('launcher:v1')

  expect(mayCountOtherwise(before, vmi(withPhase('Running'), withStatus({ ...before.status, nodeName: 'n2' })))).toBe(
    false,
  )
})
