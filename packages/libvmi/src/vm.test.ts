import { expect, test } from '@jest/globals'
import { vm, vmi, withContainerDisk, withLabel, withMasquerade, withMemory, withName, withRunning } from './index.ts'

test('pieces build a VMI as a user would write it', () => {
  expect(vmi(withName('a'), withMemory('128Mi'), withContainerDisk('root', 'example/os:1'), withMasquerade())).toEqual({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'a', namespace: 'default' },
    spec: {
      domain: {
        memory: { guest: '128Mi' },
        devices: {
          disks: [{ name: 'root', disk: { bus: 'virtio' } }],
          interfaces: [{ name: 'default', masquerade: {} }],
        },
      },
      volumes: [{ name: 'root', containerDisk: { image: 'example/os:1' } }],
      networks: [{ name: 'default', pod: {} }],
    },
  })
})

test('a VM carries the VMI as template, its labels only there', () => {
  const made = vm(vmi(withName('a'), withLabel('app', 'web'), withMemory('64Mi')), withRunning(true))
  expect(made.metadata).toEqual({ name: 'a', namespace: 'default' })
  expect(made.spec).toEqual({
    running: true,
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { domain: { memory: { guest: '64Mi' }, devices: {} } },
    },
  })
})
