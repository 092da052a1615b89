import { expect, test } from '@jest/globals'
import { condition, firstCause, minutesAgo, mountFails, seen, vmi } from '../../test/machines.ts'
import { report } from './report.ts'

test.each<[string, object, object]>([
  [
    'needs a folder that its node does not have',
    mountFails('volume "data" : hostPath type check failed: /srv/vms is not a directory'),
    {
      reason: 'FailedMount',
      what: expect.stringContaining('node n1 has no directory /srv/vms, which volume data is on'),
      since: minutesAgo(4),
    },
  ],
  [
    'needs a secret that is not there',
    mountFails('volume "keys" : secret "hush" not found'),
    {
      what: 'the secret hush of volume keys is not there',
      fix: 'kubectl -n shop create secret generic hush --from-file=KEY=FILE',
    },
  ],
  [
    'cannot be mounted in a way that nobody foresaw',
    mountFails('volume "nfs" : mount failed: exit status 32'),
    {
      what: 'MountVolume.SetUp failed for volume "nfs" : mount failed: exit status 32',
      fix: 'kubectl -n shop describe pod virt-launcher-web-1',
    },
  ],
])('a machine that %s says so', (_case, given, fact) => {
  expect(firstCause(given)).toMatchObject(fact)
})

test('a volume that cannot be mounted is told once, also where the guest repeats what the kubelet says', () => {
  const given = mountFails('volume "keys" : secret "hush" not found')
  const repeated = [
    condition('Synchronized', 'False', 'FailedMount', 'pod virt-launcher-web-1 cannot start on node n1'),
  ]
  const { because } = report(seen({ ...given, vmi: vmi('Scheduling', repeated) })).running
  expect(because.map(({ reason }) => reason)).toEqual(['FailedMount'])
})
