import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { ContainerAllocateResponse } from '../../generated/deviceplugin/v1beta1/api.ts'

/** A kind of device that pods ask the kubelet for as `devices.kubevirt.io/<name>`. */
export interface PluginDevice {
  readonly name: string
  /** The host file without which no such device can be given; its coming and going is the devices' health. */
  readonly hostPath: string
  /** What a container that was given the device gets. */
  readonly allocation: Partial<ContainerAllocateResponse>
}

const nodes = [
  { name: 'kvm', path: '/dev/kvm' },
  { name: 'tun', path: '/dev/net/tun' },
  { name: 'vhost-net', path: '/dev/vhost-net' },
]

/** The device nodes for guests that this host has. */
export async function hostDevices(): Promise<PluginDevice[]> {
  const permissions = existsSync('/sys/fs/cgroup/cgroup.controllers') ? 'rwm' : 'rw'
  await Promise.all(nodes.map(({ path }) => loadModule(path)))
  return nodes
    .filter(({ path }) => existsSync(path))
    .map(({ name, path }) => ({
      name,
      hostPath: path,
      allocation: { devices: [{ containerPath: path, hostPath: path, permissions }] },
    }))
}

// Opening the node makes the kernel load the module behind it; a missing one shows when a guest is placed.
async function loadModule(path: string): Promise<void> {
  try {
    await (await open(path, 'r+')).close()
  } catch {
    return
  }
}

/**
 * The program that serves a container disk, put into any image's container by the kubelet: such a pod needs neither
 * an init container nor a volume for it.
 */
export function containerDiskDevice(hostFolder: string): PluginDevice {
  return {
    name: 'container-disk',
    hostPath: `${hostFolder}/container-disk`,
    allocation: { mounts: [{ containerPath: '/.kubevirt/bin', hostPath: hostFolder, readOnly: true }] },
  }
}
