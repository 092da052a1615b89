import { expect, test } from '@jest/globals'
import type { Pod, VirtualMachineInstance, VirtualMachineInstanceCondition } from '@kubevirt-ts/api'
import { vmi, withStatus } from '@kubevirt-ts/libvmi'
import { cpuChange, memoryChange, migrationRequired, volumesChange } from './changes.ts'
import { withPodLinks } from './interface-status.ts'

const now = new Date('2026-01-01T00:10:00Z')
const link = 'pod094a367b026'

function guest(conditions: VirtualMachineInstanceCondition[] = []): VirtualMachineInstance {
  return vmi(
    (object) => {
      object.metadata.namespace = 'default'
      object.spec.domain.cpu = { cores: 1, sockets: 2, threads: 1, maxSockets: 4 }
      object.spec.domain.memory = { guest: '2Gi' }
      object.spec.networks = [{ name: 'lan', multus: { networkName: 'lan-a' } }]
      object.spec.domain.devices.interfaces = [{ name: 'lan', bridge: {} }]
    },
    withStatus({
      currentCPUTopology: { cores: 1, sockets: 1, threads: 1 },
      memory: { guestRequested: '1Gi' },
      conditions,
    }),
  )
}

function pod(...links: { name: string; interface: string }[]): Pod {
  const annotations = { 'k8s.v1.cni.cncf.io/network-status': JSON.stringify(links) }
  return { metadata: { name: 'p', namespace: 'default', annotations }, spec: { containers: [] } }
}

test('a guest that is to get other CPUs or memory than it has says so', () => {
  expect(cpuChange(guest())).toEqual({ type: 'HotVCPUChange', status: 'True' })
  expect(memoryChange(guest())).toEqual({ type: 'HotMemoryChange', status: 'True' })

  const same = guest()
  same.spec.domain.cpu!.sockets = 1
  same.spec.domain.memory!.guest = '1024Mi'
  expect(cpuChange(same)).toEqual({ type: 'HotVCPUChange', remove: true })
  expect(memoryChange(same)).toEqual({ type: 'HotMemoryChange', remove: true })
})

test('a guest whose volumes go to other claims says so until it has moved, or until they are to stay', () => {
  const moving = guest()
  moving.status!.migratedVolumes = [{ volumeName: 'data' }]
  expect(volumesChange(moving)).toMatchObject({ type: 'VolumesChange', status: 'True' })
  expect(volumesChange(guest())).toEqual({ type: 'VolumesChange', remove: true })
  const staying = guest([{ type: 'VolumesChange', status: 'False', reason: 'VolumesChangeCancellation' }])
  staying.status!.migratedVolumes = [{ volumeName: 'data' }]
  expect(volumesChange(staying)).toEqual({ type: 'VolumesChange', remove: false })
})

test.each([
  ['HotMemoryChange', memoryChange],
  ['HotVCPUChange', cpuChange],
])('that a change failed is left to be read: %s', (type, change) => {
  const failed = guest([{ type, status: 'False' }])
  expect(change(failed)).toEqual({ type, remove: false })
})

const pending: VirtualMachineInstanceCondition = {
  type: 'MigrationRequired',
  status: 'False',
  reason: 'AutoMigrationPending',
}

test.each<[what: string, vmi: VirtualMachineInstance, pod: Pod, expected: object]>([
  ['a pod with the link', guest(), pod({ name: 'lan-a', interface: link }), { remove: true }],
  ['a pod without the link', guest(), pod(), { status: 'False', reason: 'AutoMigrationPending' }],
  [
    'a pod that nobody joined for a minute',
    guest([{ ...pending, lastTransitionTime: '2026-01-01T00:09:00Z' }]),
    pod(),
    { status: 'True', reason: 'AutoMigrationDueToLiveUpdate' },
  ],
  [
    'a pod on another network',
    guest(),
    pod({ name: 'default/lan-b', interface: link }),
    { status: 'True', reason: 'AutoMigrationDueToLiveUpdate' },
  ],
])('%s tells whether the guest must move for its cards', (_what, object, launcher, expected) => {
  expect(migrationRequired(object, launcher, now)).toEqual({ type: 'MigrationRequired', ...expected })
})

test('a passed through card cannot be joined to a running pod', () => {
  const object = guest()
  object.spec.domain.devices.interfaces = [{ name: 'lan', sriov: {} }]
  expect(migrationRequired(object, pod(), now)).toMatchObject({ status: 'True' })
})

test('the links that Multus tells of are shown beside what the node agent knows', () => {
  const object = guest()
  object.status!.interfaces = [{ name: 'lan', infoSource: 'domain' }]
  const shown = withPodLinks(object, pod({ name: 'lan-a', interface: link }))
  expect(shown).toEqual([{ name: 'lan', podInterfaceName: link, infoSource: 'domain, multus-status' }])

  object.status!.interfaces = shown
  expect(withPodLinks(object, pod())).toMatchObject([{ name: 'lan', infoSource: 'domain' }])
})

test('an annotation with anything else in it tells of no links', () => {
  const broken = pod()
  broken.metadata.annotations = { 'k8s.v1.cni.cncf.io/network-status': '{"interface": 1' }
  expect(migrationRequired(guest(), broken, now)).toMatchObject({ status: 'False' })
})
