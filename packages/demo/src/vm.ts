import type { VirtualMachine } from '@kubevirt-ts/api'

export const vmName = 'demo'
export const vmNamespace = 'default'

/** The VM that the demo boots: a small Linux from a container disk, with an address on the pod network. */
export const demoVm = (registry: string, tag: string): VirtualMachine => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: vmName, namespace: vmNamespace },
  spec: {
    runStrategy: 'Always',
    template: {
      metadata: { labels: { 'kubevirt.io/vm': vmName } },
      spec: {
        terminationGracePeriodSeconds: 10,
        domain: {
          devices: {
            disks: [{ name: 'root', disk: { bus: 'virtio' } }],
            interfaces: [{ name: 'default', masquerade: {} }],
          },
          memory: { guest: '128Mi' },
          resources: {},
        },
        networks: [{ name: 'default', pod: {} }],
        volumes: [{ name: 'root', containerDisk: { image: `${registry}/guest-tiny:${tag}` } }],
      },
    },
  },
})
