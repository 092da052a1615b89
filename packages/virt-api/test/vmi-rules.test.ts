import { describe, expect, test } from '@jest/globals'
import type { VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { isGateEnabled, mergeConfiguration } from '@kubevirt-ts/virt-config'
import type { FeatureGateName } from '@kubevirt-ts/virt-config'
import { specRules } from '../src/webhooks/validating/vmi/index.ts'

/** `reason field` of each cause of a VMI that is well but for what is given. */
function causesOf(given: object, domain: object = {}, gates: readonly string[] = []): string[] {
  const configuration = mergeConfiguration({ developerConfiguration: { featureGates: [...gates] } })
  const spec = {
    architecture: 'amd64',
    ...given,
    domain: { devices: {}, memory: { guest: '128Mi' }, resources: { requests: { memory: '128Mi' } }, ...domain },
  } as VirtualMachineInstanceSpec
  const subject = {
    spec,
    field: 'spec',
    metadata: {},
    metadataField: 'metadata',
    settings: { configuration, isEnabled: (gate: FeatureGateName) => isGateEnabled(configuration, gate) },
    byKubeVirt: false,
  }
  return specRules.flatMap((rule) => rule(subject)).map(({ reason, field }) => `${reason} ${field}`)
}

describe('placement', () => {
  test('a pod affinity names a topology and has a weight', () => {
    const podAffinity = {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, podAffinityTerm: { topologyKey: '' } }],
    }
    const path = 'spec.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]'
    expect(causesOf({ affinity: { podAffinity } })).toEqual([
      `FieldValueInvalid ${path}.weight`,
      `FieldValueInvalid ${path}.podAffinityTerm.topologyKey`,
    ])
  })

  test('operators of node terms take the values that they need', () => {
    const nodeSelectorTerms = [
      {
        matchExpressions: [
          { key: 'a b', operator: 'In', values: ['x'] },
          { key: 'a', operator: 'Exists', values: ['x'] },
        ],
      },
      { matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['x'] }] },
    ]
    const path = 'spec.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms'
    expect(
      causesOf({
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
      }),
    ).toEqual([
      `FieldValueInvalid ${path}[0].matchExpressions[0].key`,
      `FieldValueInvalid ${path}[0].matchExpressions[1].values`,
      `FieldValueInvalid ${path}[1].matchFields[0].key`,
    ])
  })

  test('well-formed affinity and spreading are admitted', () => {
    const labelSelector = { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'a/b', operator: 'Exists' }] }
    const term = { labelSelector, topologyKey: 'kubernetes.io/hostname' }
    expect(
      causesOf({
        affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
        topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
      }),
    ).toEqual([])
  })

  test('a constraint of spreading is given once', () => {
    const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }
    expect(causesOf({ topologySpreadConstraints: [constraint, { ...constraint, maxSkew: 0 }] })).toEqual([
      'FieldValueInvalid spec.topologySpreadConstraints[1].maxSkew',
      'FieldValueInvalid spec.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}',
    ])
  })
})

describe('processors', () => {
  const dedicated = (cpu: object, requests: object = {}) => ({
    cpu: { dedicatedCpuPlacement: true, ...cpu },
    resources: { requests: { memory: '128Mi', ...requests } },
  })

  test('arm64 has one thread for each core', () => {
    expect(causesOf({ architecture: 'arm64' }, dedicated({ cores: 1, threads: 2 }))).toEqual([
      'FieldValueInvalid spec.architecture',
    ])
  })

  test('a request must be the number of vCPUs', () => {
    expect(causesOf({}, dedicated({ cores: 2 }, { cpu: '2' }))).toEqual([])
    expect(causesOf({}, dedicated({ cores: 2 }, { cpu: '3' }))).toEqual([
      'FieldValueInvalid spec.domain.cpu.dedicatedCpuPlacement',
    ])
  })
})

describe('encrypted guests', () => {
  const gates = ['WorkloadEncryptionSEV', 'WorkloadEncryptionTDX']
  const firmware = { bootloader: { efi: { secureBoot: false } } }

  test('one technique is chosen', () => {
    expect(causesOf({}, { firmware, launchSecurity: { sev: {}, tdx: {} } }, gates)).toEqual([
      'FieldValueForbidden spec.launchSecurity',
    ])
    expect(causesOf({}, { firmware, launchSecurity: {} }, gates)).toEqual(['FieldValueForbidden spec.launchSecurity'])
  })

  test('TDX has no SMM', () => {
    const features = { smm: { enabled: true } }
    expect(causesOf({}, { firmware, features, launchSecurity: { tdx: {} } }, gates)).toEqual([
      'FieldValueInvalid spec.launchSecurity',
    ])
  })
})

describe('disks', () => {
  const causesOfDisk = (disk: object) =>
    causesOf(
      { volumes: [{ name: 'd', containerDisk: { image: 'x' } }] },
      { devices: { disks: [{ name: 'd', ...disk }] } },
    )
  const path = 'spec.domain.devices.disks'

  test('sizes of blocks: the first thing that is wrong with them together', () => {
    const custom = (sizes: object) => ({ disk: { bus: 'virtio' }, blockSize: { custom: sizes } })
    expect(causesOfDisk(custom({ logical: 513, physical: 512 }))).toEqual([
      `FieldValueInvalid ${path}[0].blockSize.custom.logical`,
    ])
    expect(causesOfDisk(custom({ logical: 513, physical: 514 }))).toEqual([
      `FieldValueInvalid ${path}[0].blockSize.custom.logical`,
      `FieldValueInvalid ${path}[0].blockSize.custom.physical`,
    ])
  })

  test('an I/O thread of its own needs the virtio bus, whatever the target', () => {
    expect(causesOfDisk({ cdrom: { bus: 'sata' }, dedicatedIOThread: true })).toEqual([
      `FieldValueNotSupported ${path}.domain.devices.disks[0]`,
    ])
  })

  test('a name that is no DNS label is told under the doubled path that clients match on', () => {
    const given = { volumes: [{ name: 'D_', containerDisk: { image: 'x' } }] }
    expect(causesOf(given, { devices: { disks: [{ name: 'D_', disk: {} }] } })).toEqual([
      `FieldValueInvalid ${path}.domain.devices.disks[0].name`,
      'FieldValueInvalid spec.volumes[0].name',
    ])
  })

  test('a path inside an image may end in a slash', () => {
    const volume = (imagePath: string) =>
      causesOf(
        { volumes: [{ name: 'd', containerDisk: { image: 'x', path: imagePath } }] },
        { devices: { disks: [{ name: 'd', disk: {} }] } },
      )
    expect(volume('/disk/')).toEqual([])
    expect(volume('/disk//')).toEqual(['FieldValueInvalid spec.volumes[0].containerDisk'])
  })
})

describe('other nouns', () => {
  test('a serial number is plain', () => {
    expect(causesOf({}, { firmware: { serial: 'a b' } })).toEqual(['FieldValueInvalid spec.domain.firmware.serial'])
  })

  test('arguments need a kernel', () => {
    expect(causesOf({}, { firmware: { kernelBoot: { kernelArgs: 'quiet' } } })).toEqual([
      'FieldValueInvalid spec.domain.firmware.kernelBoot.kernelArgs',
    ])
  })

  test('memory that is reserved beside the guest’s needs its gate', () => {
    const memory = { guest: '128Mi', reservedOverhead: { memLock: 'Required' } }
    expect(causesOf({}, { memory })).toEqual(['FieldValueInvalid spec.domain.memory.reservedOverhead'])
    expect(causesOf({}, { memory }, ['ReservedOverheadMemlock'])).toEqual([])
  })

  test('a feature of Hyper-V whose base is off is told under the doubled path that clients match on', () => {
    const features = { hyperv: { synic: { enabled: true }, vpindex: { enabled: false } } }
    expect(causesOf({}, { features })).toEqual([
      'FieldValueInvalid spec.domain.features.hyperv.domain.features.hyperv.synic',
    ])
  })

  test('a service account has a name that one can have', () => {
    expect(causesOf({ serviceAccountName: 'me!' })).toEqual(['FieldValueInvalid spec.serviceAccountName'])
    expect(causesOf({ serviceAccountName: 'me' })).toEqual([])
  })

  test('one display of the firmware', () => {
    const gpu = (name: string, ramFB?: object) => ({
      name,
      deviceName: 'vendor.com/gpu',
      virtualGPUOptions: { display: { ...(ramFB && { ramFB }) } },
    })
    expect(causesOf({}, { devices: { gpus: [gpu('a'), gpu('b')] } })).toEqual(['FieldValueInvalid spec.GPUs'])
    expect(causesOf({}, { devices: { gpus: [gpu('a'), gpu('b', { enabled: false })] } })).toEqual([])
  })

  test('probes over the network need the pod network', () => {
    expect(causesOf({ readinessProbe: { httpGet: { port: 80 }, tcpSocket: { port: 80 } } })).toEqual([
      'FieldValueInvalid spec.readinessProbe',
      'FieldValueInvalid spec.readinessProbe.httpGet',
      'FieldValueInvalid spec.readinessProbe.tcpSocket',
    ])
  })

  test('options of DNS are named', () => {
    expect(causesOf({ dnsConfig: { options: [{ value: '1' }], searches: ['example.com.'] } })).toEqual([
      'FieldValueInvalid searchDomains',
      'FieldValueInvalid options',
    ])
  })

  test('networks of claims', () => {
    const given = {
      networks: [{ name: 'n', resourceClaim: { claimName: 'c' } }],
    }
    const devices = { interfaces: [{ name: 'n', bridge: {} }] }
    expect(causesOf(given, { devices })).toEqual(['FieldValueInvalid spec.networks'])
    expect(causesOf(given, { devices }, ['NetworkDevicesWithDRA'])).toEqual([
      'FieldValueRequired spec.networks[0].resourceClaim.requestName',
      'FieldValueNotFound spec.networks[0].resourceClaim.claimName',
      'FieldValueInvalid spec.domain.devices.interfaces',
    ])
  })
})

describe('ports', () => {
  const causesOfCard = (card: object, network: object = { pod: {} }) =>
    causesOf({ networks: [{ name: 'n', ...network }] }, { devices: { interfaces: [{ name: 'n', ...card }] } }, [
      'PortRangesSpec',
    ])
  const path = 'spec.domain.devices.interfaces[0]'

  test('those of other networks than the pod’s are not looked at', () => {
    const ports = [{ port: 70_000 }]
    expect(causesOfCard({ bridge: {}, ports }, { multus: { networkName: 'nad' } })).toEqual([])
    expect(causesOfCard({ masquerade: {}, ports })).toEqual([`FieldValueInvalid ${path}.ports[0].port`])
  })

  test('ranges go upwards and share no port of a protocol', () => {
    const range = (start: number, end: number, protocol?: string) => ({ start, end, ...(protocol && { protocol }) })
    const causes = (...portRanges: object[]) => causesOfCard({ masquerade: {}, portRanges })
    expect(causes(range(80, 90), range(91, 99), range(85, 95, 'UDP'))).toEqual([])
    expect(causes(range(80, 90), range(90, 99, 'TCP'))).toEqual([`FieldValueInvalid ${path}.portRanges[1]`])
    expect(causes(range(90, 80), range(0, 1), range(1, 65_536))).toEqual([
      `FieldValueInvalid ${path}.portRanges[0]`,
      `FieldValueInvalid ${path}.portRanges[1]`,
      `FieldValueInvalid ${path}.portRanges[2]`,
      // It is the last and overlaps with the one before it, too.
      `FieldValueInvalid ${path}.portRanges[2]`,
    ])
  })
})
