import { expect, test } from '@jest/globals'
import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { mergeConfiguration } from '@kubevirt-ts/virt-config'
import { missingContainers } from './launcher-pod.ts'

const settings = { configuration: mergeConfiguration({}), isEnabled: () => true }

const pod = (mounts: object[], others: object[] = []) =>
  ({
    spec: { containers: [{ name: 'compute', image: 'launcher', volumeMounts: mounts }, ...others] },
  }) as unknown as Pod

const vmi = (containerPath: object) =>
  ({
    spec: {
      domain: { devices: { filesystems: [{ name: 'certs', virtiofs: {} }] } },
      volumes: [{ name: 'certs', containerPath }],
    },
  }) as unknown as VirtualMachineInstance

const mount = { name: 'istio', mountPath: '/etc/certs' }

test('a path that a webhook mounted in compute gets a virtiofs container that reads it', () => {
  const [container] = missingContainers(pod([mount]), vmi({ path: '/etc/certs/ca' }), settings)
  expect(container).toMatchObject({
    name: 'virtiofs-certs',
    image: 'launcher',
    args: expect.arrayContaining(['--shared-dir=/etc/certs/ca', '--readonly']),
    volumeMounts: [{ name: 'virtiofs-containers' }, { ...mount, readOnly: true }],
  })
})

test('the deepest mount of the path is taken', () => {
  const mounts = [{ name: 'root', mountPath: '/' }, mount, { name: 'near', mountPath: '/etc/certs-old' }]
  const [container] = missingContainers(pod(mounts), vmi({ path: '/etc/certs', readOnly: false }), settings)
  expect(container?.volumeMounts?.[1]).toEqual({ ...mount, readOnly: false })
  expect(container?.args).not.toContain('--readonly')
})

test('nothing is added twice, nor for a path that is not mounted (yet)', () => {
  expect(missingContainers(pod([mount], [{ name: 'virtiofs-certs' }]), vmi({ path: '/etc/certs' }), settings)).toEqual(
    [],
  )
  expect(missingContainers(pod([]), vmi({ path: '/etc/certs' }), settings)).toEqual([])
})
