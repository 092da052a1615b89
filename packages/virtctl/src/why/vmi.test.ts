import { expect, test } from '@jest/globals'
import { condition, firstCause, healthy, node, runningPod, vm, vmi, warning } from '../../test/machines.ts'

test.each<[string, object, object]>([
  [
    'lacks its claim',
    { vm: vm(), vmi: vmi('Pending'), pod: runningPod, claims: new Map([['data', undefined]]) },
    { reason: 'FailedPvcNotFound', what: expect.stringContaining('the claim data is not there') },
  ],
  [
    'is paused',
    { ...healthy, vmi: vmi('Running', [condition('Paused', 'True', 'PausedByUser')]) },
    { reason: 'PausedByUser', fix: 'virtctl -n shop unpause vmi web' },
  ],
  [
    'could not be synchronised',
    {
      vm: vm(),
      vmi: vmi('Scheduled', [condition('Synchronized', 'False', 'FailedX', 'libvirt says no')]),
      pod: runningPod,
      node: node(),
    },
    { reason: 'FailedX', what: 'libvirt says no' },
  ],
  [
    'was refused by QEMU',
    {
      vm: vm(),
      vmi: vmi('Failed', [condition('Synchronized', 'False', 'FailedX', 'GuestNotStarted: no such device')], {
        reason: 'GuestNotStarted',
      }),
    },
    { reason: 'GuestNotStarted', what: 'the guest failed: GuestNotStarted: no such device' },
  ],
  [
    'crashed some time after something else could not be done',
    {
      vm: vm(),
      vmi: vmi('Failed', [condition('Synchronized', 'False', 'FailedX', 'HotplugFailed: no')], { reason: 'Crashed' }),
    },
    { reason: 'Crashed', what: 'the guest failed (Crashed)' },
  ],
  [
    'waits for a claim of a class that is not there',
    {
      vm: vm(),
      vmi: vmi('Pending', [condition('Synchronized', 'False', 'PVCNotReady', 'not bound')]),
      claims: new Map([['data', { metadata: {}, status: { phase: 'Pending' } }]]),
      warnings: [
        warning('data', 'ProvisioningFailed', 'storageclass.storage.k8s.io "gold" not found', 'PersistentVolumeClaim'),
      ],
    },
    {
      reason: 'PVCNotReady',
      what: 'the claim data is Pending: storageclass.storage.k8s.io "gold" not found',
      fix: 'kubectl get storageclass',
    },
  ],
])('a machine that %s says so', (_case, given, fact) => {
  expect(firstCause(given)).toMatchObject(fact)
})
