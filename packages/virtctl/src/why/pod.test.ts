import { expect, test } from '@jest/globals'
import {
  condition,
  firstCause,
  minutesAgo,
  node,
  pendingOnNode,
  pod,
  seen,
  vm,
  vmi,
  warning,
} from '../../test/machines.ts'
import { report } from './report.ts'

test.each<[string, object, object]>([
  [
    'no node has room for',
    {
      vm: vm(),
      vmi: vmi('Scheduling'),
      pod: pod(
        {
          phase: 'Pending',
          conditions: [
            condition('PodScheduled', 'False', 'Unschedulable', '0/1 nodes are available: 1 Insufficient memory.'),
          ],
        },
        {},
      ),
    },
    { reason: 'Unschedulable', fix: expect.stringContaining('Allocated resources'), since: minutesAgo(5) },
  ],
  [
    'needs KVM where there is none',
    {
      vm: vm(),
      vmi: vmi('Scheduling'),
      pod: pod(
        {
          phase: 'Pending',
          conditions: [condition('PodScheduled', 'False', 'Unschedulable', '1 Insufficient devices.kubevirt.io/kvm.')],
        },
        {},
      ),
    },
    { fix: expect.stringContaining('useEmulation=true') },
  ],
  [
    'can not pull its image',
    {
      vm: vm(),
      vmi: vmi('Scheduling'),
      pod: pod({
        phase: 'Pending',
        containerStatuses: [
          {
            name: 'volumeroot',
            image: 'nowhere/x',
            state: { waiting: { reason: 'ErrImagePull', message: 'no such image' } },
          },
        ],
      }),
    },
    {
      reason: 'ErrImagePull',
      what: 'container volumeroot can not get its image nowhere/x: no such image',
      fix: 'kubectl -n shop edit vm web && virtctl -n shop restart web',
    },
  ],
])('a machine that %s says so', (_case, given, fact) => {
  expect(firstCause(given)).toMatchObject(fact)
})

test('a machine that was hard to place, and now only takes its time, has nothing in its way', () => {
  const warnings = [warning('virt-launcher-web-1', 'FailedScheduling', '0/1 nodes are available')]
  const given = { vm: vm(), vmi: vmi('Scheduling'), pod: pendingOnNode, node: node(), warnings }
  expect(report(seen(given)).running).toEqual({ yes: false, because: [] })
})

test('a machine that hears a cause once, from whoever is nearest to it', () => {
  const message = 'Back-off pulling image "r/x": ErrImagePull: rpc error: code = NotFound desc = r/x: not found'
  const given = {
    vm: vm(),
    vmi: vmi('Scheduling', [condition('Synchronized', 'False', 'ImagePullBackOff', `container a: ${message}`)]),
    pod: pod({
      phase: 'Pending',
      containerStatuses: [{ name: 'a', image: 'r/x', state: { waiting: { reason: 'ImagePullBackOff', message } } }],
    }),
    warnings: [warning('virt-launcher-web-1', 'Failed', 'Error: ImagePullBackOff')],
    node: node(),
  }
  const what = report(seen(given)).running.because.map((fact) => fact.what)
  expect(what).toEqual(['container a can not get its image r/x: not found'])
})
