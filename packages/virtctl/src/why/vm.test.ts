import { expect, test } from '@jest/globals'
import { condition, firstCause, vm, vmi } from '../../test/machines.ts'

test.each<[string, object, object]>([
  [
    'is told to be off is started',
    { vm: vm({ runStrategy: 'Halted' }) },
    { reason: 'Halted', fix: 'virtctl -n shop start web' },
  ],
  ['was never started by hand', { vm: vm({ runStrategy: 'Manual' }) }, { reason: 'NotStarted' }],
  [
    'shut itself down',
    { vm: vm({ runStrategy: 'RerunOnFailure' }), vmi: vmi('Succeeded') },
    { reason: 'Finished', what: expect.stringContaining('shut itself down') },
  ],
  ['nobody works for', { vm: vm() }, { reason: 'NoInstance' }],
  [
    'crashes while it starts',
    { vm: vm({ runStrategy: 'Always' }, { startFailure: { consecutiveFailCount: 3, retryAfterTimestamp: 'T' } }) },
    { reason: 'CrashLoopBackOff', what: 'its guest ended 3 times in a row before it ran; the next try is at T' },
  ],
  [
    'has no guest that can be',
    {
      vm: vm(undefined, {
        startFailure: { consecutiveFailCount: 1 },
        conditions: [condition('Synchronized', 'False', 'FailedX', 'GuestNotStarted: no\nsuch device')],
      }),
    },
    {
      reason: 'CrashLoopBackOff',
      what: 'its guest ended once before it ran; last told: GuestNotStarted: no such device',
    },
  ],
  [
    'waits for an import',
    { vm: vm(), dataVolumes: new Map([['root', { metadata: {}, status: { phase: 'ImportInProgress' } }]]) },
    { reason: 'Provisioning', fix: 'kubectl -n shop describe datavolume root' },
  ],
])('a machine that %s says so', (_case, given, fact) => {
  expect(firstCause(given)).toMatchObject(fact)
})
