import { expect, test } from '@jest/globals'
import type { KubeVirtConfiguration, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isGateEnabled, mergeConfiguration } from '@kubevirt-ts/virt-config'
import { mutateNewVmi } from '../vmi.ts'

function mutated(spec: object, given: KubeVirtConfiguration = {}): VirtualMachineInstance {
  const configuration = mergeConfiguration(given)
  const settings = { configuration, isEnabled: (gate: never) => isGateEnabled(configuration, gate) }
  const vmi = { metadata: { name: 'guest', namespace: 'default' }, spec } as unknown as VirtualMachineInstance
  return mutateNewVmi(vmi, settings, { now: () => '2026-01-01T00:00:00Z', newId: () => 'id' })
}

test('values that say nothing are not stored, decisions are', () => {
  const volumes = [{ name: 'a', persistentVolumeClaim: { claimName: 'c', readOnly: false, hotpluggable: false } }]
  const { spec } = mutated({
    hostname: '',
    nodeSelector: { tag: '' },
    tolerations: [{ key: 'a', operator: 'Exists', value: '', tolerationSeconds: 0 }],
    livenessProbe: { tcpSocket: { port: 22 }, initialDelaySeconds: 0 },
    volumes,
    domain: {
      cpu: { sockets: 0, cores: 2, dedicatedCpuPlacement: false },
      features: { kvm: { hidden: false }, acpi: { enabled: false } },
      devices: {
        disableHotplug: false,
        blockMultiQueue: false,
        disks: [
          { name: 'a', disk: { bus: '', readonly: false }, shareable: false },
          { name: 'b', cdrom: { readonly: false } },
        ],
        interfaces: [{ name: 'default', masquerade: {}, macAddress: '', model: '', acpiIndex: 0 }],
      },
    },
  })
  expect(spec).not.toHaveProperty('hostname')
  expect(spec.nodeSelector).toEqual({ tag: '' })
  expect(spec.tolerations).toEqual([{ key: 'a', operator: 'Exists', tolerationSeconds: 0 }])
  expect(spec.livenessProbe).not.toHaveProperty('initialDelaySeconds')
  expect(spec.volumes).toEqual([{ name: 'a', persistentVolumeClaim: { claimName: 'c' } }])
  const { cpu, features, devices } = spec.domain
  expect(cpu).toEqual({ cores: 2, model: 'host-model' })
  expect(features).toEqual({ kvm: {}, acpi: { enabled: false } })
  expect(devices).toEqual({
    blockMultiQueue: false,
    disks: [
      { name: 'a', disk: { bus: 'sata' }, shareable: false },
      { name: 'b', cdrom: { bus: 'sata', readonly: false, tray: 'closed' } },
    ],
    interfaces: [{ name: 'default', masquerade: {} }],
  })
})

test.each([
  ['a multiple of those at boot', 2, {}, 8],
  ['no more of them than 512 CPUs need', 40, {}, 64],
  ['what the cluster says, however many CPUs that is', 40, { maxCpuSockets: 80 }, 80],
  ['not less than at boot', 40, { maxCpuSockets: 16 }, 40],
])('sockets to grow to: %s', (_, sockets, liveUpdateConfiguration, most) => {
  const cores = sockets > 8 ? 8 : 1
  const { spec } = mutated({ domain: { cpu: { cores, sockets, threads: 1 } } }, { liveUpdateConfiguration })
  expect(spec.domain.cpu?.maxSockets).toBe(most)
})

test('amounts are stored as Kubernetes writes them, what is none as it is', () => {
  const resources = { requests: { memory: '+1024Mi', cpu: '0.5' }, limits: { memory: 'much' } }
  const { spec } = mutated({ domain: { memory: { guest: '0.5e9' }, resources } })
  expect(spec.domain.memory?.guest).toBe('500e6')
  expect(spec.domain.resources).toEqual({ requests: { memory: '1Gi', cpu: '500m' }, limits: { memory: 'much' } })
})
