import { expect, test } from '@jest/globals'
import type { Container, KubeVirtConfiguration, Pod } from '@kubevirt-ts/api'
import { vmi, withContainerDisk, withKernelBoot, withMemory, withUid } from '@kubevirt-ts/libvmi'
import { renderContext } from '../../../test/render-context.ts'
import { renderLaunchPod } from './index.ts'

type Gates = NonNullable<KubeVirtConfiguration['developerConfiguration']>

function podWith(gates: Gates): Pod {
  const guest = vmi(
    withUid('uid'),
    withMemory('64Mi'),
    withContainerDisk('root', 'registry.example/disk:1'),
    withKernelBoot('registry.example/kernel:1'),
  )
  return renderLaunchPod(guest, renderContext({ developerConfiguration: { useEmulation: true, ...gates } }))
}

const named = (pod: Pod, name: string): Container | undefined =>
  pod.spec.containers.find((container) => container.name === name)
const names = (containers: readonly Container[] = []): string[] => containers.map(({ name }) => name)

test('the direct form has no init containers: a device brings the helper program', () => {
  const pod = podWith({ featureGates: ['DirectContainerDisk'] })

  expect(pod.spec.initContainers).toBeUndefined()
  expect(names(pod.spec.containers)).toEqual(['compute', 'guest-console-log', 'volumeroot', 'volumekernel-boot-volume'])
  expect(named(pod, 'volumeroot')).toMatchObject({
    image: 'registry.example/disk:1',
    command: ['/.kubevirt/bin/container-disk'],
    args: ['--copy-path', '/var/run/kubevirt/container-disks/disk_0'],
    resources: { limits: { 'devices.kubevirt.io/container-disk': '1' } },
    volumeMounts: [{ name: 'container-disks', mountPath: '/var/run/kubevirt/container-disks' }],
  })
  expect(named(pod, 'volumekernel-boot-volume')?.args?.[1]).toBe('/var/run/kubevirt/container-disks/kernel-boot')
  expect(named(pod, 'guest-console-log')?.restartPolicy).toBeUndefined()
  expect(named(pod, 'compute')?.args).not.toContain('--image-volume')
})

test('the image volume form leaves the images to the kubelet', () => {
  const pod = podWith({})

  expect(names(pod.spec.containers)).toEqual(['compute'])
  expect(pod.spec.volumes).toContainEqual({
    name: 'root',
    image: { reference: 'registry.example/disk:1', pullPolicy: 'IfNotPresent' },
  })
  expect(named(pod, 'compute')?.args).toContain('--image-volume')
})

test('the classic form copies the helper program and pulls the images first', () => {
  const pod = podWith({ disabledFeatureGates: ['ImageVolume'] })

  expect(names(pod.spec.initContainers)).toEqual([
    'guest-console-log',
    'container-disk-binary',
    'volumeroot-init',
    'volumekernel-boot-volume-init',
  ])
  expect(names(pod.spec.containers)).toEqual(['compute', 'volumeroot', 'volumekernel-boot-volume'])
})
