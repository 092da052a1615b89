import type { VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'

/** As users write it: a container disk, cloud-init, an entropy device, the pod network by masquerade. */
const spec: VirtualMachineInstanceSpec = {
  terminationGracePeriodSeconds: 0,
  networks: [{ name: 'default', pod: {} }],
  volumes: [
    { name: 'root', containerDisk: { image: 'localhost/kubevirt-ts/guest-tiny:lab' } },
    { name: 'cloud-init', cloudInitNoCloud: { userData: '#cloud-config\nssh_pwauth: true\n' } },
  ],
  domain: {
    devices: {
      rng: {},
      interfaces: [{ name: 'default', masquerade: {} }],
      disks: [
        { name: 'root', disk: { bus: 'virtio' } },
        { name: 'cloud-init', disk: { bus: 'virtio' } },
      ],
    },
    memory: { guest: '128Mi' },
    resources: {},
  },
}

export const benchVmi = (namespace: string, name: string): VirtualMachineInstance => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name, namespace },
  spec,
})

export const benchVm = (namespace: string, name: string): VirtualMachine => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name, namespace },
  spec: { runStrategy: 'Always', template: { spec } },
})
