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
  /** How often is looked whether the kubelet still listens; 5 s unless told. */
  readonly recheckMs?: number
}

const backOffMs = [1_000, 2_000, 5_000, 10_000]
/** What no watch reports: the folder was made anew, or the kubelet listens to another process's socket of that name. */
const recheckMs = 5_000

/** Offers the devices to the kubelet, and again whenever the kubelet has restarted. */
export function startDeviceManager({ devices, folder, maxDevices, log, ...more }: DeviceManagerOptions): DeviceManager {
  const ending = new AbortController()
  const serving = new Set<string>()
  const loops = devices.map((device) => {
    const own = { serving, log: log.child({ device: device.name }), recheckMs: more.recheckMs ?? recheckMs }
    const plugin = { device, folder, count: maxDevices, ...own }
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
  readonly recheckMs: number
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
  { device, folder, recheckMs: everyMs }: Plugin,
  server: PluginServer,
  forgotten: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const watchers: FSWatcher[] = []
    let unheard = 0
    const look = (): void => {
      unheard = server.isHeard() ? 0 : unheard + 1
      check()
    }
    const check = (): void => {
      server.setHealthy(existsSync(device.hostPath))
      // Twice, as a kubelet that has just been told takes a moment to listen.
      if (!forgotten() && unheard < 2 && !signal.aborted) return
      for (const watcher of watchers) watcher.close()
      clearInterval(timer)
      signal.removeEventListener('abort', check)
      resolve()
    }
    const timer = setInterval(look, everyMs)
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
