import { expect, test } from '@jest/globals'
import { VirtError } from '@kubevirt-ts/service'
import { CriticalNetworkError } from '../host/network/phase1.ts'
import { ProgramFailed } from '../host/run.ts'
import { failureText } from './failure-text.ts'

test.each([
  ['its own reason', new VirtError('NoSpaceForImage', 'full'), 'NoSpaceForImage: full'],
  ['the reason of its cause', new Error('no', { cause: new VirtError('ImageMissing', 'gone') }), 'ImageMissing: no'],
  ["a launcher's words, which begin with one", new VirtError('LauncherRefused', 'NoSpace: full'), 'NoSpace: full'],
  ['the network', new CriticalNetworkError('half built'), 'NetworkSetupFailed: half built'],
  ['a step on the host', new ProgramFailed(['ip'], 1, 'no such link'), 'HostStepFailed: no such link'],
  ['nothing that is known', new TypeError('x is undefined'), 'Internal: x is undefined'],
])('a failure names %s', (_, error, text) => {
  expect(failureText(error)).toBe(text)
})
