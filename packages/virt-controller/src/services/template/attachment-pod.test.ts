import { expect, test } from '@jest/globals'
import type { PersistentVolumeClaim, Pod } from '@kubevirt-ts/api'
import { vmi, withName, withUid } from '@kubevirt-ts/libvmi'
import { attachmentPod, triggerPod } from './attachment-pod.ts'

const launcher: Pod = {
  metadata: { name: 'virt-launcher-web-1', namespace: 'default', uid: 'launcher-uid', labels: { app: 'web' } },
  spec: { nodeName: 'node01', containers: [], tolerations: [{ key: 'gpu', operator: 'Exists' }] },
}

const modes: Readonly<Record<string, string>> = { files: 'Filesystem', block: 'Block' }

function claim(name: string): PersistentVolumeClaim {
  return { metadata: { name, uid: `${name}-uid` }, spec: { volumeMode: modes[name] as 'Block' } }
}

const attachment = {
  name: 'hp-volume-1',
  vmi: vmi(withName('web'), withUid('vmi-uid')),
  launcher,
  claim,
  settings: { launcherImage: 'registry.example/virt-launcher:v1' },
  configuration: { imagePullPolicy: 'IfNotPresent' as const, selinuxLauncherType: 'virt_launcher.process' },
}

test('volumes are held on the node of the launcher, files as folders and blocks as devices', () => {
  const { metadata, spec } = attachmentPod(attachment, [
    { name: 'a', claimName: 'files' },
    { name: 'b', claimName: 'block' },
  ])

  expect(metadata).toMatchObject({
    name: 'hp-volume-1',
    labels: { 'kubevirt.io': 'hotplug-disk' },
    annotations: { 'kubevirt.io/owner-vmi-name': 'web', 'kubevirt.io/owner-vmi-uid': 'vmi-uid' },
    ownerReferences: [{ kind: 'Pod', name: 'virt-launcher-web-1', uid: 'launcher-uid', controller: true }],
  })
  expect(spec.containers[0]).toMatchObject({
    name: 'hotplug-disk',
    image: 'registry.example/virt-launcher:v1',
    command: ['/bin/sh', '-c', '/usr/bin/container-disk --copy-path /path/hp'],
    volumeMounts: [
      { name: 'hotplug-disks', mountPath: '/path', mountPropagation: 'HostToContainer' },
      { name: 'a', mountPath: '/a' },
    ],
    volumeDevices: [{ name: 'b', devicePath: '/path/b/block-uid' }],
    securityContext: { runAsUser: 107, runAsNonRoot: true, seLinuxOptions: { type: 'virt_launcher.process' } },
  })
  expect(spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms).toEqual([
    { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node01'] }] },
  ])
  expect(spec.volumes?.map(({ name, persistentVolumeClaim }) => [name, persistentVolumeClaim?.claimName])).toEqual([
    ['hotplug-disks', undefined],
    ['a', 'files'],
    ['b', 'block'],
  ])
})

test('volumes come to a node that takes no new pods for a while, and where the launcher was tolerated', () => {
  const { spec } = attachmentPod(attachment, [{ name: 'a', claimName: 'files' }])
  expect(spec.tolerations?.map(({ key }) => key)).toEqual([
    'node.kubernetes.io/unschedulable',
    'node.kubernetes.io/network-unavailable',
    'node.kubernetes.io/disk-pressure',
    'node.kubernetes.io/memory-pressure',
    'node.kubernetes.io/pid-pressure',
    'gpu',
  ])
})

test.each([
  ['none', 's0'],
  ['system_u:system_r:svirt_t:s0:c1,c2', 's0:c1,c2'],
])('SELinux context %s of the launcher gives level %s', (selinuxContext, level) => {
  const guest = { ...attachment.vmi, status: { selinuxContext } }
  const { spec } = attachmentPod({ ...attachment, vmi: guest }, [{ name: 'a', claimName: 'files' }])
  expect(spec.containers[0]?.securityContext?.seLinuxOptions?.level).toBe(level)
})

test.each([
  ['files', { runAsUser: 107, runAsNonRoot: true }],
  ['block', { runAsUser: 0, runAsNonRoot: false }],
])(
  'a claim of kind %s that waits for its first consumer gets one beside the launcher that ends at once',
  (mode, who) => {
    const { metadata, spec } = triggerPod(attachment, { name: 'a', claimName: mode })
    expect(metadata.annotations).toMatchObject({ 'kubevirt.io/ephemeral-provisioning': 'true' })
    expect(spec.restartPolicy).toBe('Never')
    expect(spec.containers[0]).toMatchObject({ command: ['/bin/bash', '-c', 'exit', '0'], securityContext: who })
    expect(spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual([
      { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
    ])
  },
)
