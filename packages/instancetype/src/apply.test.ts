import { expect, test } from '@jest/globals'
import type {
  VirtualMachineClusterInstancetype,
  VirtualMachineClusterPreference,
  VirtualMachineInstancetypeSpec,
  VirtualMachinePreferenceSpec,
} from '@kubevirt-ts/api'
import { vmi, withContainerDisk, withMemory } from '@kubevirt-ts/libvmi'
import { applyTo } from './apply.ts'
import type { Applied } from './apply.ts'
import { unmetRequirements } from './requirements.ts'

const small = { cpu: { guest: 4 }, memory: { guest: '2Gi' } }

const instancetypeOf = (spec: VirtualMachineInstancetypeSpec): VirtualMachineClusterInstancetype => ({
  metadata: { name: 'small' },
  spec,
})
const preferenceOf = (spec: VirtualMachinePreferenceSpec): VirtualMachineClusterPreference => ({
  metadata: { name: 'linux' },
  spec,
})

function guestOf(applied: Applied) {
  if (applied.conflicts !== undefined) throw new Error(`conflicts: ${applied.conflicts.join()}`)
  return applied
}

function bare() {
  const { spec } = vmi(withContainerDisk('root', 'registry.example/disk:1'))
  const { memory: _m, resources: _r, cpu: _c, ...domain } = spec.domain
  return { ...spec, domain }
}

test('an instance type gives processors as sockets, and memory', () => {
  const { spec } = guestOf(applyTo({ spec: bare() }, { instancetype: instancetypeOf(small) }))
  expect(spec.domain.cpu).toEqual({ sockets: 4, cores: 1, threads: 1 })
  expect(spec.domain.memory).toEqual({ guest: '2Gi' })
})

test.each([
  ['cores', undefined, { sockets: 1, cores: 4, threads: 1 }],
  ['threads', undefined, { sockets: 1, cores: 1, threads: 4 }],
  ['any', undefined, { sockets: 4, cores: 1, threads: 1 }],
  ['spread', undefined, { sockets: 2, cores: 2, threads: 1 }],
  ['spread', { ratio: 4 }, { sockets: 1, cores: 4, threads: 1 }],
  ['spread', { across: 'CoresThreads' }, { sockets: 1, cores: 2, threads: 2 }],
  ['spread', { across: 'SocketsCoresThreads' }, { sockets: 1, cores: 2, threads: 2 }],
])('a preference for %s %j makes 4 processors %j', (preferredCPUTopology, spreadOptions, topology) => {
  const preference = preferenceOf({
    cpu: { preferredCPUTopology, ...(spreadOptions === undefined ? {} : { spreadOptions }) },
  })
  const { spec } = guestOf(applyTo({ spec: bare() }, { instancetype: instancetypeOf(small), preference }))
  expect(spec.domain.cpu).toEqual(topology)
})

test('processors that cannot be spread evenly are a conflict with the preference', () => {
  const preference = preferenceOf({ cpu: { preferredCPUTopology: 'spread', spreadOptions: { ratio: 3 } } })
  expect(applyTo({ spec: bare() }, { instancetype: instancetypeOf(small), preference })).toEqual({
    conflicts: ['spec.cpu.spreadOptions.ratio'],
  })
})

test('every field that the template sets too is named as a conflict, and the template stays as it was', () => {
  const spec = vmi(withMemory('1Gi')).spec
  spec.domain.cpu = { cores: 2, model: 'host-model' }
  spec.domain.resources = { requests: { cpu: '1', memory: '1Gi' } }
  spec.nodeSelector = { disk: 'ssd' }
  const before = structuredClone(spec)
  const instancetype = instancetypeOf({
    cpu: { guest: 1, model: 'Nehalem' },
    memory: { guest: '2Gi' },
    nodeSelector: { a: 'b' },
    annotations: { x: '1' },
  })
  expect(applyTo({ spec, metadata: { annotations: { x: '2' } } }, { instancetype }).conflicts).toEqual([
    'spec.template.spec.domain.cpu.cores',
    'spec.template.spec.domain.cpu.model',
    'spec.template.spec.domain.resources.requests.cpu',
    ...(before.domain.memory?.guest === undefined ? [] : ['spec.template.spec.domain.memory.guest']),
    'spec.template.spec.domain.resources.requests.memory',
    'spec.template.spec.nodeSelector',
    'spec.template.metadata.annotations.x',
  ])
  expect(spec).toEqual(before)
})

test('overcommitted memory is requested in part', () => {
  const instancetype = instancetypeOf({ cpu: { guest: 1 }, memory: { guest: '2Gi', overcommitPercent: 50 } })
  const { spec } = guestOf(applyTo({ spec: bare() }, { instancetype }))
  expect(spec.domain.resources?.requests).toEqual({ memory: '1Gi' })
})

test('a preference fills what is unset and leaves the rest', () => {
  const spec = bare()
  spec.domain.devices = {
    disks: [
      { name: 'root', disk: {} },
      { name: 'fast', disk: { bus: 'scsi' } },
      { name: 'iso', cdrom: {} },
    ],
    interfaces: [{ name: 'default', model: 'e1000' }, { name: 'second' }],
    rng: {},
  }
  spec.networks = [
    { name: 'default', pod: {} },
    { name: 'second', multus: { networkName: 'n' } },
  ]
  spec.domain.clock = { timer: { hpet: { present: true } } }
  const preference = preferenceOf({
    clock: { preferredClockOffset: { utc: {} }, preferredTimer: { hpet: { present: false }, rtc: {} } },
    devices: {
      preferredDiskBus: 'virtio',
      preferredCdromBus: 'sata',
      preferredInterfaceModel: 'virtio',
      preferredInterfaceMasquerade: {},
      preferredDiskDedicatedIoThread: true,
      preferredTPM: { persistent: true },
    },
    features: { preferredSmm: { enabled: true }, preferredHyperv: { vapic: {}, relaxed: {} } },
    firmware: { preferredUseEfi: true, preferredUseSecureBoot: true },
    machine: { preferredMachineType: 'q35' },
    cpu: { preferredCPUFeatures: [{ name: 'vmx' }] },
    annotations: { os: 'linux', mine: 'no' },
    preferredTerminationGracePeriodSeconds: 180,
  })
  const { spec: guest, metadata } = guestOf(
    applyTo({ spec, metadata: { annotations: { mine: 'yes' } } }, { preference }),
  )
  expect(guest.domain).toMatchObject({
    cpu: { features: [{ name: 'vmx' }] },
    clock: { utc: {}, timer: { hpet: { present: true }, rtc: {} } },
    firmware: { bootloader: { efi: { secureBoot: true } } },
    features: { smm: { enabled: true }, hyperv: { vapic: {}, relaxed: {} } },
    machine: { type: 'q35' },
  })
  expect(guest.domain.devices).toEqual({
    disks: [
      { name: 'root', disk: { bus: 'virtio' }, dedicatedIOThread: true },
      { name: 'fast', disk: { bus: 'scsi' } },
      { name: 'iso', cdrom: { bus: 'sata' } },
    ],
    interfaces: [
      { name: 'default', model: 'e1000', masquerade: {} },
      { name: 'second', model: 'virtio' },
    ],
    rng: {},
    tpm: { persistent: true },
  })
  expect(guest.terminationGracePeriodSeconds).toBe(180)
  expect(metadata.annotations).toEqual({ os: 'linux', mine: 'yes' })
})

test.each([
  [{ bios: {} }, { preferredUseEfi: true }, { bios: {} }],
  [undefined, { preferredUseBios: true, preferredUseBiosSerial: true }, { bios: { useSerial: true } }],
  [undefined, { preferredEfi: { persistent: true } }, { efi: { persistent: true } }],
  [{ efi: { secureBoot: false } }, { preferredUseSecureBoot: true }, { efi: { secureBoot: false } }],
])('bootloader %j under the wishes %j is %j', (bootloader, firmware, wanted) => {
  const spec = bare()
  if (bootloader !== undefined) spec.domain = { ...spec.domain, firmware: { bootloader } }
  const { spec: guest } = guestOf(applyTo({ spec }, { preference: preferenceOf({ firmware }) }))
  expect(guest.domain.firmware?.bootloader).toEqual(wanted)
})

test('what a preference requires and the guest does not have is told with both amounts', () => {
  const { spec } = guestOf(applyTo({ spec: bare() }, { instancetype: instancetypeOf(small) }))
  const requirements = { cpu: { guest: 8 }, memory: { guest: '4Gi' } }
  expect(unmetRequirements(spec, { requirements })).toEqual([
    'the preference requires 8 vCPUs, the guest has 4',
    'the preference requires 4Gi of memory, the guest has 2Gi',
  ])
  expect(unmetRequirements(spec, { requirements: { cpu: { guest: 4 } } })).toEqual([])
})
