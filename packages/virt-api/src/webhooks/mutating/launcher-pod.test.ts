import { expect, test } from '@jest/globals'
import type { AdmissionRequest, Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { mergeConfiguration } from '@kubevirt-ts/virt-config'
import type { AdmissionContext } from '../admitter.ts'
import { missingContainers, mutateLauncherPod } from './launcher-pod.ts'

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

test('the record of writers goes with the first ask, unless somebody applies the pod server-side', async () => {
  const asked = (...operations: string[]) => {
    const managedFields = operations.map((operation) => ({ manager: 'someone', operation }))
    const metadata = {
      name: 'a',
      labels: { 'kubevirt.io': 'virt-launcher' },
      annotations: { 'kubevirt.io/domain': 'a' },
      ...(operations.length === 0 ? {} : { managedFields }),
    }
    const request = { namespace: 'ns', object: { ...pod([]), metadata } } as unknown as AdmissionRequest
    return mutateLauncherPod(request, {
      settings: { ...settings, isEnabled: () => false },
    } as unknown as AdmissionContext)
  }
  expect(await asked('Update')).toEqual({ patch: [{ op: 'remove', path: '/metadata/managedFields' }] })
  expect(await asked('Update', 'Apply')).toEqual({ patch: [] })
  expect(await asked()).toEqual({ patch: [] })
})
