import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { mayStartEarly } from './may-start-early.ts'

type Spec = VirtualMachineInstance['spec']
type Status = NonNullable<VirtualMachineInstance['status']>

const vmi = (
  status: Partial<Status> = {},
  spec: Partial<Spec> = {},
  metadata: Partial<VirtualMachineInstance['metadata']> = {},
): VirtualMachineInstance => ({
  metadata: { ...metadata, namespace: 'ns', name: 'vm', uid: 'u1' },
  spec: { domain: { devices: {} }, networks: [{ name: 'default', pod: {} }], ...spec },
  status: { phase: 'Scheduling', activePods: { p1: '' }, ...status },
})

const devices = (more: Spec['domain']['devices']): Partial<Spec> => ({ domain: { devices: more } })

test.each<[string, VirtualMachineInstance]>([
  ['whose pod is here', vmi()],
  ['whose pod is bound to this node', vmi({ activePods: { p1: 'n1' } })],
  ['that starts paused', vmi({}, { startStrategy: 'Paused' })],
])('the guest of a VMI %s may be made', (_, each) => {
  expect(mayStartEarly(each, 'p1', 'n1')).toBe(true)
})

test.each<[string, VirtualMachineInstance]>([
  ['of another pod', vmi({ activePods: { p2: '' } })],
  ['without a pod', vmi({ activePods: {} })],
  ['of two pods', vmi({ activePods: { p1: '', p2: '' } })],
  ['whose pod is bound elsewhere', vmi({ activePods: { p1: 'n2' } })],
  ['that waits for its pod', vmi({ phase: 'Pending' })],
  ['that is handed over', vmi({ phase: 'Scheduled', nodeName: 'n1' })],
  ['that runs', vmi({ phase: 'Running', nodeName: 'n1' })],
  ['that has failed', vmi({ phase: 'Failed' })],
  ['that waits for its source', vmi({ phase: 'WaitingForSync' })],
  ['that another node has', vmi({ nodeName: 'n2' })],
  ['that is deleted', vmi({}, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
  ['that moves', vmi({ migrationState: { migrationUid: 'm' } })],
  ['that moves here', vmi({}, {}, { labels: { 'kubevirt.io/migrationTargetNodeName': 'n1' } })],
  ['with a number of the hand-over', vmi({}, devices({ autoattachVSOCK: true }))],
  ['with a shared folder', vmi({}, devices({ filesystems: [{ name: 'share', virtiofs: {} }] }))],
  ['with a plugin for its card', vmi({}, devices({ interfaces: [{ name: 'default', binding: { name: 'own' } }] }))],
  ['with a second network', vmi({}, { networks: [{ name: 'other', multus: { networkName: 'blue' } }] })],
  [
    'with a volume that is plugged in',
    vmi({}, { volumes: [{ name: 'late', persistentVolumeClaim: { claimName: 'c', hotpluggable: true } }] }),
  ],
])('the guest of a VMI %s waits', (_, each) => {
  expect(mayStartEarly(each, 'p1', 'n1')).toBe(false)
})
