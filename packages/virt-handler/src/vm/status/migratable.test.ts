import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { vmi, withPersistentVolumeClaim, withStatus } from '@kubevirt-ts/libvmi'
import { migrationBlockers, migrationMethod } from './migratable.ts'

type Volumes = VirtualMachineInstance['spec']['volumes']
type Devices = VirtualMachineInstance['spec']['domain']['devices']

const methodOf = (volumes: Volumes, devices: Devices = {}): string =>
  migrationMethod({ metadata: { name: 'vm' }, spec: { domain: { devices }, volumes: volumes ?? [] } })

const claim = { claimName: 'c' }

test('a guest whose disks both nodes have leaves them where they are', () => {
  expect(
    methodOf([
      { name: 'a', persistentVolumeClaim: claim },
      { name: 'b', dataVolume: { name: 'd' } },
    ]),
  ).toBe('LiveMigration')
})

test('a guest with a disk of its node takes it along, also where that lies over a claim', () => {
  expect(
    methodOf([
      { name: 'a', persistentVolumeClaim: claim },
      { name: 'b', containerDisk: { image: 'i' } },
    ]),
  ).toBe('BlockMigration')
  expect(methodOf([{ name: 'a', ephemeral: { persistentVolumeClaim: claim } }])).toBe('BlockMigration')
})

test('what is no disk, or cannot be written to, is not taken along', () => {
  expect(
    methodOf(
      [
        { name: 'a', configMap: { name: 'm' } },
        { name: 'b', sysprep: { configMap: { name: 'm' } } },
      ],
      { filesystems: [{ name: 'a', virtiofs: {} }], disks: [{ name: 'b', cdrom: { bus: 'sata' } }] },
    ),
  ).toBe('LiveMigration')
})

function moving(...names: string[]): VirtualMachineInstance {
  const volumeStatus = ['data', 'more'].map((name) => ({
    name,
    target: '',
    persistentVolumeClaimInfo: { accessModes: ['ReadWriteOnce'] },
  }))
  const migratedVolumes = names.map((volumeName) => ({ volumeName }))
  return vmi(withPersistentVolumeClaim('data', 'a'), withStatus({ volumeStatus, migratedVolumes }))
}

test('a claim of one node keeps its guest there, unless its content goes to another one', () => {
  expect(migrationBlockers(moving())).toEqual([expect.objectContaining({ reason: 'DisksNotLiveMigratable' })])
  expect(migrationBlockers(moving('data'))).toEqual([])
  expect(migrationMethod(moving())).toBe('LiveMigration')
  expect(migrationMethod(moving('data'))).toBe('BlockMigration')
})

test('a volume that stays keeps it there all the same', () => {
  const both = moving('data')
  both.spec.volumes?.push({ name: 'more', persistentVolumeClaim: { claimName: 'b' } })
  expect(migrationBlockers(both)).toEqual([
    expect.objectContaining({ message: expect.stringContaining('volume more is not shared') }),
  ])
})

const domainOf = (domain: Partial<VirtualMachineInstance['spec']['domain']>): VirtualMachineInstance =>
  vmi((object) => Object.assign(object.spec.domain, domain))

test.each<[string, VirtualMachineInstance, string]>([
  ['a device of the host', domainOf({ devices: { hostDevices: [{ name: 'card', deviceName: 'd' }] } }), 'HostDevice'],
  ['memory under SEV', domainOf({ launchSecurity: { sev: {} } }), 'SEV'],
  ['memory under SEV-SNP', domainOf({ launchSecurity: { snp: {} } }), 'SEV'],
  ['memory under TDX', domainOf({ launchSecurity: { tdx: {} } }), 'TDX'],
  ['memory under Secure Execution', domainOf({ launchSecurity: {} }), 'SecureExecution'],
  [
    'a reserved disk',
    domainOf({ devices: { disks: [{ name: 'shared', lun: { reservation: true } }] } }),
    'PersistentReservation',
  ],
  ['a clock of unknown frequency', domainOf({ cpu: { features: [{ name: 'invtsc' }] } }), 'NoTSCFrequency'],
  ['all of Hyper-V', domainOf({ features: { hypervPassthrough: { enabled: true } } }), 'HypervPassthrough'],
])('%s keeps the guest on its node, and is named', (_, guest, reason) => {
  const [blocker] = migrationBlockers(guest)
  expect(blocker?.reason).toBe(`${reason}NotLiveMigratable`)
  expect(blocker?.message).toMatch(/^cannot migrate VMI: ./)
})

test('a clock whose frequency is known moves, and so does a bridged pod network whose owner allows it', () => {
  const clock = domainOf({ cpu: { features: [{ name: 'invtsc' }] } })
  expect(migrationBlockers({ ...clock, status: { topologyHints: { tscFrequency: 1 } } })).toEqual([])
  const bridged = vmi((object) => {
    object.spec.networks = [{ name: 'default', pod: {} }]
    object.spec.domain.devices.interfaces = [{ name: 'default', bridge: {} }]
  })
  expect(migrationBlockers(bridged)).toEqual([expect.objectContaining({ reason: 'InterfaceNotLiveMigratable' })])
  bridged.metadata.annotations = { 'kubevirt.io/allow-pod-bridge-network-live-migration': '' }
  expect(migrationBlockers(bridged)).toEqual([])
})
