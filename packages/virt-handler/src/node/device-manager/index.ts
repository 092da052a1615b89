import type { Logger } from '@kubevirt-ts/service'
import { existsSync, type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { PluginDevice } from './plugin-device.ts'
import { kubeletSocket, type PluginServer, servePlugin } from './plugin-server.ts'

export interface DeviceManager {
  /** Whether the kubelet has accepted every resource. */
  initialised(): boolean
  stop(): Promise<void>
}

export interface DeviceManagerOptions {
  readonly devices: readonly PluginDevice[]
  /** The kubelet's device-plugins folder. */
  readonly folder: string
  readonly maxDevices: number
  readonly log: Logger
}

const backOffMs = [1_000, 2_000, 5_000, 10_000]
/** The folder itself may be made anew, which no watch reports. */
const recheckMs = 30_000

/** Offers the devices to the kubelet, and again whenever the kubelet has restarted. */
export function startDeviceManager({ devices, folder, maxDevices, log }: DeviceManagerOptions): DeviceManager {
  const ending = new AbortController()
  const serving = new Set<string>()
  const loops = devices.map((device) => {
    const plugin = { device, folder, count: maxDevices, serving, log: log.child({ device: device.name }) }
    return keepServing(plugin, ending.signal)
  })
  return {
    initialised: () => serving.size === devices.length,
    async stop() {
      ending.abort()
      await Promise.all(loops)
    },
  }
}

interface Plugin {
  readonly device: PluginDevice
  readonly folder: string
  readonly count: number
  readonly serving: Set<string>
  readonly log: Logger
}

async function keepServing(plugin: Plugin, signal: AbortSignal): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    try {
      await serveOnce(plugin, signal)
      failures = 0
    } catch (error) {
      plugin.log.warn({ error }, 'the kubelet did not take a device plugin; trying again')
      const wait = backOffMs[Math.min(failures, backOffMs.length - 1)]
      failures += 1
      await delay(wait, undefined, { signal }).catch(() => undefined)
    }
  }
}

/** Returns when the kubelet has to be told anew, or at the end. */
async function serveOnce(plugin: Plugin, signal: AbortSignal): Promise<void> {
  const { device, folder, count, serving, log } = plugin
  const kubelet = inodeOf(join(folder, kubeletSocket))
  const server = await servePlugin({ device, folder, count, healthy: existsSync(device.hostPath) })
  serving.add(device.name)
  log.info('the kubelet offers a device to pods')
  try {
    const forgotten = (): boolean =>
      !existsSync(join(folder, server.socketName)) || inodeOf(join(folder, kubeletSocket)) !== kubelet
    await untilForgotten(plugin, server, forgotten, signal)
  } finally {
    serving.delete(device.name)
    server.close()
  }
}

function untilForgotten(
  { device, folder }: Plugin,
  server: PluginServer,
  forgotten: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const watchers: FSWatcher[] = []
    const check = (): void => {
      server.setHealthy(existsSync(device.hostPath))
      if (!forgotten() && !signal.aborted) return
      for (const watcher of watchers) watcher.close()
      clearInterval(timer)
      signal.removeEventListener('abort', check)
      resolve()
    }
    const timer = setInterval(check, recheckMs)
    signal.addEventListener('abort', check)
    watchers.push(
      watch(folder, (_, name) => {
        if (name === server.socketName || name === kubeletSocket) check()
      }),
    )
    watchers.push(
      watch(dirname(device.hostPath), (_, name) => {
        if (name === basename(device.hostPath)) check()
      }),
    )
    for (const watcher of watchers) watcher.on('error', check)
    check()
  })
}

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino
