import type { VolumeMount } from '@kubevirt-ts/api'
import { addVolume } from './draft.ts'
import type { Draft } from './draft.ts'
import type { Launch } from './launch.ts'

/** Empty folders in which launcher, node agent and helpers meet. */
export function directories(draft: Draft, launch: Launch): void {
  for (const { name, mount } of folders(launch)) {
    addVolume(draft, { name, emptyDir: {} })
    if (mount !== undefined) draft.compute.volumeMounts.push({ name, ...mount })
  }
}

interface Folder {
  readonly name: string
  readonly mount?: Omit<VolumeMount, 'name'>
}

function folders({ vmi, context, containerDisks, isEnabled }: Launch): Folder[] {
  const always: Folder[] = [
    { name: 'private', mount: { mountPath: '/var/run/kubevirt-private' } },
    { name: 'public', mount: { mountPath: context.shareDir } },
    { name: 'sockets', mount: { mountPath: `${context.shareDir}/sockets` } },
    { name: 'ephemeral-disks', mount: { mountPath: context.ephemeralDiskDir } },
    { name: 'libvirt-runtime', mount: { mountPath: '/var/run/libvirt' } },
    { name: 'virt-bin-share-dir' },
  ]
  // What the node agent mounts below these must become visible in the running container.
  const propagated = (name: string, mountPath: string): Folder => ({
    name,
    mount: { mountPath, mountPropagation: 'HostToContainer' },
  })
  if (isEnabled('Plugins'))
    always.push({ name: 'kubevirt-plugin-sockets', mount: { mountPath: '/var/run/kubevirt-plugin' } })
  if (containerDisks !== 'imageVolume') always.push(propagated('container-disks', context.containerDiskDir))
  if (vmi.spec.domain.devices.disableHotplug !== true) always.push(propagated('hotplug-disks', context.hotplugDiskDir))
  return always.filter(({ name }) => containerDisks !== 'direct' || name !== 'virt-bin-share-dir')
}
