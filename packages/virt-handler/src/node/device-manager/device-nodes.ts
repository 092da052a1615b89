import type { FeatureGateName } from '@kubevirt-ts/virt-config'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { countedDevice, type PluginDevice } from './plugin-device.ts'

interface DeviceNode {
  readonly name: string
  readonly path: string
}

const always: readonly DeviceNode[] = [
  { name: 'kvm', path: '/dev/kvm' },
  { name: 'tun', path: '/dev/net/tun' },
  { name: 'vhost-net', path: '/dev/vhost-net' },
]

const gated: readonly (DeviceNode & { readonly gate: FeatureGateName })[] = [
  { name: 'vhost-vsock', path: '/dev/vhost-vsock', gate: 'VSOCK' },
  { name: 'sev', path: '/dev/sev', gate: 'WorkloadEncryptionSEV' },
  { name: 'iommufd', path: '/dev/iommu', gate: 'IOMMUFD' },
]

/** Resources that are the node's own, whatever is permitted. */
export const ownResources: ReadonlySet<string> = new Set(
  [...always, ...gated, { name: 'container-disk' }].map(({ name }) => `devices.kubevirt.io/${name}`),
)

/** What the kubelet lets a container do with a device that it was given. */
export const devicePermissions = (): string => (existsSync('/sys/fs/cgroup/cgroup.controllers') ? 'rwm' : 'rw')

/** The device nodes for guests that this host has. */
export async function deviceNodes(count: number): Promise<PluginDevice[]> {
  await Promise.all(always.map(({ path }) => loadModule(path)))
  return always.filter(({ path }) => existsSync(path)).map((node) => nodeDevice(node, count))
}

/** Those of the host, at `hostRoot`, that guests may have only where a feature gate says so. */
export function gatedDeviceNodes(
  hostRoot: string,
  isEnabled: (gate: FeatureGateName) => boolean,
  count: number,
): PluginDevice[] {
  const present = gated.filter(({ gate, path }) => isEnabled(gate) && existsSync(`${hostRoot}${path}`))
  return present.map((node) => nodeDevice(node, count, hostRoot))
}

function nodeDevice({ name, path }: DeviceNode, count: number, hostRoot = ''): PluginDevice {
  const devices = [{ containerPath: path, hostPath: path, permissions: devicePermissions() }]
  return countedDevice({ name, hostPath: `${hostRoot}${path}`, count, allocation: { devices } })
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
export function containerDiskDevice(hostFolder: string, count: number): PluginDevice {
  const mounts = [{ containerPath: '/.kubevirt/bin', hostPath: hostFolder, readOnly: true }]
  return countedDevice({
    name: 'container-disk',
    hostPath: `${hostFolder}/container-disk`,
    count,
    allocation: { mounts },
  })
}
