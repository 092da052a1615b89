import type { Logger } from '@kubevirt-ts/service'
import { type OfferedPlugin, offerPlugin } from './offered-plugin.ts'
import type { PluginDevice } from './plugin-device.ts'

export interface DeviceManager {
  /** Whether the kubelet has accepted every resource that this node offers whatever the KubeVirt resource says. */
  initialised(): boolean
  /**
   * Offers these beside those of the start, and no longer what an earlier call offered and this one does not. What is
   * offered again with other units changes in place. A name of the start is left as it is.
   */
  offer(devices: readonly PluginDevice[]): void
  stop(): Promise<void>
}

export interface DeviceManagerOptions {
  /** Offered until the end. */
  readonly devices: readonly PluginDevice[]
  /** The kubelet's device-plugins folder. */
  readonly folder: string
  readonly log: Logger
  /** How often is looked whether the kubelet still listens; 5 s unless told. */
  readonly recheckMs?: number
}

/** What no watch reports: the folder was made anew, or the kubelet listens to another process's socket of that name. */
const defaultRecheckMs = 5_000

/** Offers devices to the kubelet. */
export function startDeviceManager({ devices, folder, log, recheckMs }: DeviceManagerOptions): DeviceManager {
  const start = (device: PluginDevice, after?: Promise<void>): OfferedPlugin =>
    offerPlugin(device, {
      folder,
      log: log.child({ device: device.name }),
      recheckMs: recheckMs ?? defaultRecheckMs,
      after,
    })
  const lasting = new Map(devices.map((device) => [device.name, start(device)]))
  const offered = new Map<string, OfferedPlugin>()
  const leaving = new Map<string, Promise<void>>()

  return {
    initialised: () => [...lasting.values()].every((plugin) => plugin.isServing()),
    offer(wanted) {
      const names = new Set(wanted.map(({ name }) => name))
      for (const [name, plugin] of offered) {
        if (names.has(name)) continue
        offered.delete(name)
        leaving.set(name, plugin.stop(true))
      }
      for (const device of wanted) {
        if (lasting.has(device.name)) continue
        const known = offered.get(device.name)
        if (known) known.change(device)
        else offered.set(device.name, start(device, leaving.get(device.name)))
      }
    },
    async stop() {
      const plugins = [...lasting.values(), ...offered.values()]
      await Promise.all([...plugins.map((plugin) => plugin.stop(false)), ...leaving.values()])
    },
  }
}
