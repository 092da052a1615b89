import type { ContainerAllocateResponse } from '../../generated/deviceplugin/v1beta1/api.ts'

/** A resource that pods ask the kubelet for. */
export interface PluginDevice {
  /** Names the plugin's socket; unique among all plugins. */
  readonly name: string
  readonly resourceName: string
  readonly units: readonly PluginUnit[]
  /** What a container that was given these units gets. */
  allocate(units: readonly PluginUnit[]): Partial<ContainerAllocateResponse>
}

/** One that can be given to one container at a time. */
export interface PluginUnit {
  /** At most 63 characters. The same thing has the same one after a restart: the kubelet remembers who has it. */
  readonly id: string
  /** Files of the host without which it cannot be given; their coming and going is its health. */
  readonly files: readonly string[]
  readonly numaNode?: number
}

export interface CountedDevice {
  readonly name: string
  /** The host file without which no such device can be given. */
  readonly hostPath: string
  /** How many containers may have one at a time. */
  readonly count: number
  readonly allocation: Partial<ContainerAllocateResponse>
}

/** A file of the host that many containers may use, as `devices.kubevirt.io/<name>`. */
export function countedDevice({ name, hostPath, count, allocation }: CountedDevice): PluginDevice {
  return {
    name,
    resourceName: `devices.kubevirt.io/${name}`,
    units: Array.from({ length: count }, (_, index) => ({ id: `${name}${index}`, files: [hostPath] })),
    allocate: () => allocation,
  }
}
