import { describe, expect, test } from '@jest/globals'
import type { KubeVirtConfiguration } from '@kubevirt-ts/api'
import type { DomainSpec } from '@kubevirt-ts/domain'
import {
  vmi,
  withAnnotation,
  withCpu,
  withDevices,
  withDisk,
  withEmptyDisk,
  withInterface,
  withMemory,
  withVolumeDisk,
  withoutGraphics,
} from '@kubevirt-ts/libvmi'
import type { VmiPiece } from '@kubevirt-ts/libvmi'
import { toDomain } from '../src/virtwrap/converter/index.ts'
import { hostDeviceAddresses } from '../src/virtwrap/host-device-addresses.ts'
import { recordedContext } from './recorded-context.ts'

const permitted: KubeVirtConfiguration = {
  developerConfiguration: { useEmulation: true },
  permittedHostDevices: { mediatedDevices: [{ mdevNameSelector: 'T4', resourceName: 'example/vgpu' }] },
}

function domainOf(
  pieces: readonly VmiPiece[],
  cpus = 0,
  architecture?: string,
  blockClaims: readonly string[] = [],
): DomainSpec {
  const guest = vmi(withMemory('128Mi'), ...pieces)
  if (architecture) guest.spec.architecture = architecture
  const context = recordedContext({
    vmi: guest,
    configuration: permitted,
    blockClaims: [...blockClaims],
    cpuLimit: String(cpus),
  })
  const mdev = { 'example/vgpu': ['00000000-0000-4000-9000-000000000001'] }
  return toDomain(guest, { ...context, hostDevices: { ...context.hostDevices, mdev } })
}

const withPolicy =
  (ioThreadsPolicy: string, count?: number): VmiPiece =>
  ({ spec }) => {
    spec.domain.ioThreadsPolicy = ioThreadsPolicy
    if (count !== undefined) spec.domain.ioThreads = { supplementalPoolThreadCount: count }
  }

describe('I/O threads', () => {
  test('a pool serves every virtio disk with all its threads', () => {
    const { iothreads, devices } = domainOf([withPolicy('supplementalPool', 2), withEmptyDisk('a', '1Gi')])
    expect(iothreads).toBe('2')
    expect(devices.disk?.[0]?.driver?.iothreads).toEqual({ iothread: [{ $id: '1' }, { $id: '2' }] })
  })

  test('a SCSI disk with a thread of its own gives it to the controller', () => {
    const disk = { disk: { bus: 'scsi' }, dedicatedIOThread: true }
    const { devices } = domainOf([withVolumeDisk({ name: 'a', emptyDisk: { capacity: '1Gi' } }, disk)])
    expect(devices.controller?.find(({ $type }) => $type === 'scsi')?.driver).toEqual({ $iothread: '1', $queues: '1' })
  })

  test.each([
    ['more threads than CPUs take turns', 4, 2, ['1', '0', '1', '0']],
    ['fewer threads share the CPUs as neighbours', 3, 8, ['0,1,2', '3,4,5', '6,7']],
  ])('%s', (_, threads, cpus, sets) => {
    const cpu = withCpu({ cores: cpus, sockets: 1, threads: 1, dedicatedCpuPlacement: true })
    const { cputune } = domainOf([cpu, withPolicy('supplementalPool', threads)], cpus)
    expect(cputune?.iothreadpin?.map(({ $cpuset }) => $cpuset)).toEqual(sets)
  })

  test('with a CPU for the emulator the first thread runs there and the others are free', () => {
    const cpu = withCpu({ cores: 2, dedicatedCpuPlacement: true, isolateEmulatorThread: true })
    const { cputune } = domainOf([cpu, withPolicy('supplementalPool', 2)], 3)
    expect(cputune?.iothreadpin).toEqual([{ $iothread: '1', $cpuset: '2' }])
  })
})

describe('a virtual GPU', () => {
  const gpu = { name: 'g', deviceName: 'example/vgpu' }

  test.each([
    ['shows its display at once', {}, { $display: 'on', $ramfb: 'on' }],
    ['can wait for its driver', { display: { ramFB: { enabled: false } } }, { $display: 'on' }],
    ['can be without a display', { display: { enabled: false } }, {}],
  ])('%s', (_, virtualGPUOptions, shown) => {
    const options = Object.keys(virtualGPUOptions).length > 0 ? { virtualGPUOptions } : {}
    const [device] = domainOf([withDevices({ gpus: [{ ...gpu, ...options }] })]).devices.hostdev ?? []
    const { $display, $ramfb } = device ?? {}
    expect({ $display, $ramfb }).toEqual({ $display: undefined, $ramfb: undefined, ...shown })
  })

  test('passed through as a host device has no display', () => {
    const [device] = domainOf([withDevices({ hostDevices: [gpu] })]).devices.hostdev ?? []
    expect(device).toMatchObject({ $type: 'mdev', alias: { $name: 'ua-hostdevice-g' } })
    expect(device?.$display).toBeUndefined()
  })
})

test('a CD-ROM drive without a volume is empty', () => {
  const [drive] = domainOf([withDisk({ name: 'cd', cdrom: { bus: 'sata' } })]).devices.disk ?? []
  expect(drive).toMatchObject({ $type: 'block', $device: 'cdrom', source: {}, target: { $dev: 'sda' }, readonly: {} })
})

test('only a disk has a serial number and can be shared', () => {
  const lun = { lun: { bus: 'scsi' }, serial: 'x', shareable: true }
  const [disk] = domainOf([withVolumeDisk({ name: 'a', persistentVolumeClaim: { claimName: 'a' } }, lun)]).devices.disk!
  expect([disk?.serial, disk?.shareable, disk?.driver?.$cache]).toEqual([undefined, undefined, undefined])
})

test('the 64-bit PCI window is closed for guests that ask for it', () => {
  const { devices } = domainOf([withAnnotation('kubevirt.io/disablePCIHole64', 'True')])
  expect(devices.controller).toContainEqual({
    $type: 'pci',
    $index: '0',
    $model: 'pcie-root',
    pcihole64: { $unit: 'KiB', _: '0' },
  })
})

test('a first-boot configuration is handed over by the firmware', () => {
  const { 'qemu:commandline': line } = domainOf([withAnnotation('kubevirt.io/ignitiondata', '{"ignition":{}}')])
  expect(line?.['qemu:arg'].map(({ $value }) => $value).join(' ')).toMatch(
    /^-fw_cfg name=opt\/com\.coreos\/config,file=\/.*\/data\.ign$/,
  )
})

test.each([
  ['arm64', ['tablet', 'keyboard'], []],
  ['s390x', ['keyboard'], []],
])('on %s only a guest with a display has input devices of its own', (architecture, shown, hidden) => {
  const types = (domain: DomainSpec) => (domain.devices.input ?? []).map(({ $type }) => $type)
  expect(types(domainOf([], 0, architecture))).toEqual(shown)
  expect(types(domainOf([withoutGraphics()], 0, architecture))).toEqual(hidden)
})

test('a guest may name the hypervisor that it must not hide', () => {
  const { features } = domainOf([({ spec }) => void (spec.domain.features = { kvm: { hidden: false } })])
  expect(features?.kvm?.hidden).toEqual({ $state: 'off' })
})

test('the file of an ephemeral volume names the device below it as the volume', () => {
  const volume = { name: 'a', ephemeral: { persistentVolumeClaim: { claimName: 'c' } } }
  const { devices } = domainOf([withVolumeDisk(volume)], 0, undefined, ['c'])
  expect(devices.disk?.[0]?.backingStore).toMatchObject({ $type: 'block', source: { $dev: '/dev/a', $name: 'a' } })
})

test('a virtual function stands where the interface says', () => {
  const guest = vmi(withMemory('64Mi'))
  guest.spec.domain.devices.interfaces = [{ name: 'vf', sriov: {}, pciAddress: '0000:05:00.0' }]
  const context = recordedContext({ vmi: guest, configuration: permitted, blockClaims: [], cpuLimit: '0' })
  const { devices } = toDomain(guest, {
    ...context,
    hostDevices: { ...context.hostDevices, sriov: { vf: '0000:81:01.0' } },
  })
  expect(devices.hostdev?.[0]?.address).toMatchObject({ $bus: '0x05', $slot: '0x00' })
})

test('USB devices of the host hang on a controller, as libvirt takes none without', () => {
  const guest = vmi(withMemory('64Mi'), withDevices({ hostDevices: [{ name: 'a', deviceName: 'example/stick' }] }))
  const context = recordedContext({ vmi: guest, configuration: permitted, blockClaims: [], cpuLimit: '0' })
  const given = hostDeviceAddresses(guest, { USB_RESOURCE_EXAMPLE_STICK: '1:5' })
  const { devices } = toDomain(guest, { ...context, hostDevices: given })
  expect(devices.hostdev).toMatchObject([{ $type: 'usb', source: { address: { $bus: '1', $device: '5' } } }])
  expect(devices.controller?.find(({ $type }) => $type === 'usb')).toMatchObject({ $model: 'qemu-xhci' })
})

test('only a guest that relies on its time stamp counter is told a frequency', () => {
  const timers = (features: { name: string; policy?: string }[]) => {
    const hinted: VmiPiece = (object) => void (object.status = { topologyHints: { tscFrequency: 2_100_000_000 } })
    return domainOf([withCpu({ features }), hinted]).clock?.timer
  }
  expect(timers([{ name: 'invtsc', policy: 'require' }])).toEqual([{ $name: 'tsc', $frequency: '2100000000' }])
  expect(timers([{ name: 'invtsc', policy: 'disable' }])).toBeUndefined()
})

describe('ports that passt forwards', () => {
  const forwarded = (ports: { port: number; protocol?: string }[], ...pieces: VmiPiece[]) => {
    const iface = withInterface({ name: 'default', passtBinding: {}, ports }, { name: 'default', pod: {} })
    return domainOf([iface, ...pieces]).devices.interface?.[0]?.portForward
  }
  const meshed = withAnnotation('sidecar.istio.io/inject', 'true')

  test('are all, or those that are listed', () => {
    expect(forwarded([])).toEqual([{ $proto: 'tcp' }, { $proto: 'udp' }])
    const listed = [{ port: 80 }, { port: 53, protocol: 'UDP' }]
    expect(forwarded(listed)).toEqual([
      { $proto: 'tcp', range: [{ $start: '80' }] },
      { $proto: 'udp', range: [{ $start: '53' }] },
    ])
  })

  test("are not those of the mesh's proxy", () => {
    const [tcp, ...others] = forwarded([{ port: 80 }], meshed) ?? []
    expect(others).toEqual([])
    expect(tcp?.range?.[0]).toEqual({ $start: '15000', $exclude: 'yes' })
    expect(tcp?.range).toHaveLength(11)
    expect(tcp?.range?.at(-1)).toEqual({ $start: '80' })
  })
})

test('only virtio cards of an encrypted guest go through the IOMMU', () => {
  const secure: VmiPiece = ({ spec }) => void (spec.domain.launchSecurity = { sev: {} })
  const nic = (model?: string) =>
    domainOf([withInterface({ name: 'n', masquerade: {}, ...(model && { model }) }, { name: 'n', pod: {} }), secure])
  expect(nic().devices.interface?.[0]?.driver).toMatchObject({ $name: 'vhost', $iommu: 'on' })
  expect(nic('e1000').devices.interface?.[0]?.driver).toBeUndefined()
})
