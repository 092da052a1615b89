import { describe, expect, test } from '@jest/globals'
import type { Container, KubeVirtConfiguration, PersistentVolumeClaim, Pod } from '@kubevirt-ts/api'
import {
  vmi,
  withAnnotation,
  withContainerDisk,
  withCpu,
  withDevices,
  withFirmware,
  withInterface,
  withLabel,
  withMemory,
  withName,
  withVolumeDisk,
} from '@kubevirt-ts/libvmi'
import type { VmiPiece } from '@kubevirt-ts/libvmi'
import { renderContext } from '../../../test/render-context.ts'
import { renderLaunchPod, stateClaimOf } from './index.ts'

const emulated = { developerConfiguration: { useEmulation: true } }

function podOf(
  pieces: readonly VmiPiece[],
  configuration: KubeVirtConfiguration = {},
  claims: readonly PersistentVolumeClaim[] = [],
): Pod {
  return renderLaunchPod(vmi(withName('guest'), withMemory('64Mi'), ...pieces), {
    ...renderContext({ ...emulated, ...configuration }),
    claim: (name) => claims.find(({ metadata }) => metadata.name === name),
    stateClaim: (name) => stateClaimOf(name, claims),
  })
}

const gates = (...featureGates: string[]): KubeVirtConfiguration => ({
  developerConfiguration: { useEmulation: true, featureGates },
})

function container(pod: Pod, name: string): Container {
  const all = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]
  const found = all.find((each) => each.name === name)
  if (found === undefined) throw new Error(`no container ${name} in ${all.map((each) => each.name).join(', ')}`)
  return found
}

const compute = (pod: Pod): Container => container(pod, 'compute')

describe('the state of TPM and firmware', () => {
  const tpm = withDevices({ tpm: { persistent: true } })
  const claim = { metadata: { name: 'state-x', labels: { 'persistent-state-for': 'guest' } } } as PersistentVolumeClaim
  const older = { metadata: { name: 'persistent-state-for-guest' } } as PersistentVolumeClaim

  test('is mounted from the claim that has the label', () => {
    const pod = podOf([tpm, withFirmware({ bootloader: { efi: { persistent: true } } })], {}, [older, claim])
    expect(pod.spec.volumes).toContainEqual({ name: 'vm-state', persistentVolumeClaim: { claimName: 'state-x' } })
    const mounts = compute(pod).volumeMounts?.filter(({ name }) => name === 'vm-state')
    expect(mounts?.map(({ subPath }) => subPath)).toEqual(['meta', 'swtpm', 'swtpm-localca', 'nvram'])
  })

  test('a claim of an older release is found by its name', () => {
    const { volumes } = podOf([tpm], {}, [older]).spec
    expect(volumes).toContainEqual(
      expect.objectContaining({ persistentVolumeClaim: { claimName: 'persistent-state-for-guest' } }),
    )
  })

  test('without a claim the pod cannot be rendered, and the message names the label', () => {
    expect(() => podOf([tpm])).toThrow('persistent-state-for=guest')
  })

  test('a TPM that is turned off keeps nothing', () => {
    const { volumes } = podOf([withDevices({ tpm: { persistent: true, enabled: false } })]).spec
    expect(volumes?.map(({ name }) => name)).not.toContain('vm-state')
  })
})

test('a device that the cluster does not permit is named with the remedy', () => {
  const permittedHostDevices = { pciHostDevices: [{ pciVendorSelector: '1:2', resourceName: 'example/a' }] }
  const gpu = withDevices({ gpus: [{ name: 'g', deviceName: 'example/b' }] })
  expect(() => podOf([gpu], { permittedHostDevices })).toThrow(/example\/b .* permittedHostDevices/)
})

test.each([
  [
    'a crash that a test asks for',
    withAnnotation('kubevirt.io/func-test-virt-launcher-fail-fast', ''),
    '--simulate-crash',
  ],
  [
    'a launcher that stays after a failure',
    withAnnotation('kubevirt.io/keep-launcher-alive-after-failure', 'true'),
    '--keep-after-failure',
  ],
])('the launcher is told of %s', (_, piece, flag) => {
  expect(compute(podOf([piece])).args).toContain(flag)
})

test('the log level on the VMI wins, also when it is the default', () => {
  const env = (pod: Pod) => compute(pod).env?.find(({ name }) => name === 'VIRT_LAUNCHER_LOG_VERBOSITY')?.value
  const cluster = { developerConfiguration: { logVerbosity: { virtLauncher: 4 } } }
  expect([env(podOf([])), env(podOf([], cluster)), env(podOf([withLabel('logVerbosity', '2')], cluster))]).toEqual([
    undefined,
    '4',
    '2',
  ])
})

test('the container that copies the helper program asks for no more than it may use beside dedicated CPUs', () => {
  const disk = withContainerDisk('root', 'registry.example/disk:1')
  const classic = { developerConfiguration: { useEmulation: true, disabledFeatureGates: ['ImageVolume'] } }
  const pod = podOf([disk, withCpu({ cores: 2, dedicatedCpuPlacement: true })], classic)
  const amounts = { cpu: '10m', memory: '40M' }
  expect(container(pod, 'container-disk-binary').resources).toEqual({ limits: amounts, requests: amounts })
})

test("a binding plugin's sidecar that asks for it sees the devices of the networks", () => {
  const network = { binding: { plug: { sidecarImage: 'registry.example/plug:1', downwardAPI: 'device-info' } } }
  const iface = withInterface({ name: 'n', binding: { name: 'plug' } }, { name: 'n', pod: {} })
  const { volumeMounts } = container(podOf([iface], { network }), 'hook-sidecar-0')
  expect(volumeMounts).toContainEqual({ name: 'network-info-annotation', mountPath: '/etc/podinfo' })
})

test('helper containers share the level s0 where the runtime gives each its own', () => {
  const pod = podOf(
    [withContainerDisk('root', 'registry.example/disk:1')],
    gates('DockerSELinuxMCSWorkaround', 'DirectContainerDisk'),
  )
  expect(container(pod, 'volumeroot').securityContext?.seLinuxOptions).toEqual({ level: 's0' })
  expect(compute(pod).securityContext?.seLinuxOptions).toBeUndefined()
})

test.each([
  ['none', {}, undefined],
  ["the runtime's", { runtimeDefaultProfile: true }, { type: 'RuntimeDefault' }],
  ['one of the nodes', { localhostProfile: 'x.json' }, { type: 'Localhost', localhostProfile: 'x.json' }],
])('the seccomp profile can be %s', (_, customProfile, profile) => {
  const pod = podOf([], { seccompConfiguration: { virtualMachineInstanceProfile: { customProfile } } })
  expect(pod.spec.securityContext?.seccompProfile).toEqual(profile)
})

describe('annotations of networks', () => {
  const network = { binding: { plug: { networkAttachmentDefinition: 'kube-system/plug' } } }

  test('the default network is named as the VMI names it', () => {
    const iface = withInterface(
      { name: 'n', bridge: {} },
      { name: 'n', multus: { networkName: 'blue', default: true } },
    )
    expect(podOf([iface]).metadata.annotations?.['v1.multus-cni.io/default-network']).toBe('blue')
  })

  test("a secondary network comes before its binding plugin's own", () => {
    const iface = withInterface(
      { name: 'n', binding: { name: 'plug' } },
      { name: 'n', multus: { networkName: 'blue' } },
    )
    const text = podOf([iface], { network }).metadata.annotations?.['k8s.v1.cni.cncf.io/networks'] ?? '[]'
    const names = (JSON.parse(text) as { name: string }[]).map(({ name }) => name)
    expect(names).toEqual(['blue', 'plug'])
  })
})

test('the hypervisor of the configuration counts only with its gate', () => {
  const hypervisors = [{ name: 'hyperv-direct' as const }]
  const named = (configuration: KubeVirtConfiguration) => {
    const { args = [] } = compute(podOf([], { ...configuration, hypervisors }))
    return args[args.indexOf('--hypervisor') + 1]
  }
  expect([named({}), named(gates('ConfigurableHypervisor'))]).toEqual(['kvm', 'hyperv-direct'])
})

test('a claim that is plugged in later is neither mounted nor named as shared', () => {
  const shared = { metadata: { name: 'c' }, spec: { accessModes: ['ReadWriteMany'] } } as PersistentVolumeClaim
  const volume = (hotpluggable: boolean) =>
    compute(
      podOf([withVolumeDisk({ name: 'v', persistentVolumeClaim: { claimName: 'c', hotpluggable } })], {}, [shared]),
    )
  const envOf = ({ env = [] }: Container) => env.find(({ name }) => name === 'SHARED_FILESYSTEM_PATHS')?.value
  expect(envOf(volume(false))).toBe('/var/run/kubevirt-private/vmi-disks/v')
  expect(envOf(volume(true))).toBeUndefined()
})
