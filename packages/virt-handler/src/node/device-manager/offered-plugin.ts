import type { Logger } from '@kubevirt-ts/service'
import { existsSync, type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { PluginDevice } from './plugin-device.ts'
import { kubeletSocket, type PluginServer, servePlugin } from './plugin-server.ts'

/** A resource that the kubelet is told of, for as long as it is offered. */
export interface OfferedPlugin {
  /** Whether the kubelet has accepted it. */
  isServing(): boolean
  /** Shows other units of the same resource. */
  change(device: PluginDevice): void
  /** Ends it; `forGood` tells the kubelet that nothing of it is left. */
  stop(forGood: boolean): Promise<void>
}

export interface OfferOptions {
  /** The kubelet's device-plugins folder. */
  readonly folder: string
  readonly log: Logger
  /** How often is looked whether the kubelet still listens. */
  readonly recheckMs: number
  /** The end of an earlier plugin of the same name. */
  readonly after?: Promise<void> | undefined
}

interface Plugin extends OfferOptions {
  device: PluginDevice
  isServing: boolean
  isLeaving: boolean
  /** Looks again at what is offered. */
  onChange: () => void
}

const backOffMs = [1_000, 2_000, 5_000, 10_000]

/** Offers a resource to the kubelet, and again whenever the kubelet has restarted. */
export function offerPlugin(device: PluginDevice, options: OfferOptions): OfferedPlugin {
  const ending = new AbortController()
  const plugin: Plugin = { ...options, device, isServing: false, isLeaving: false, onChange: () => undefined }
  const loop = keepServing(plugin, ending.signal)
  return {
    isServing: () => plugin.isServing,
    change(now) {
      plugin.device = now
      plugin.onChange()
    },
    async stop(forGood) {
      plugin.isLeaving = forGood
      ending.abort()
      await loop
    },
  }
}

async function keepServing(plugin: Plugin, signal: AbortSignal): Promise<void> {
  await plugin.after
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
  const { folder, log } = plugin
  const kubelet = inodeOf(join(folder, kubeletSocket))
  const server = await servePlugin(plugin.device, folder)
  plugin.isServing = true
  log.info('the kubelet offers a device to pods')
  try {
    const forgotten = (): boolean =>
      !existsSync(join(folder, server.socketName)) || inodeOf(join(folder, kubeletSocket)) !== kubelet
    await untilForgotten(plugin, server, forgotten, signal)
    if (signal.aborted && plugin.isLeaving) await server.withdraw()
  } finally {
    plugin.isServing = false
    server.close()
  }
}

function untilForgotten(
  plugin: Plugin,
  server: PluginServer,
  forgotten: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let files = watchFiles([], () => undefined)
    let unheard = 0
    const look = (): void => {
      unheard = server.isHeard() ? 0 : unheard + 1
      check()
    }
    const check = (): void => {
      server.show(plugin.device)
      // Twice, as a kubelet that has just been told takes a moment to listen.
      if (!forgotten() && unheard < 2 && !signal.aborted) return
      plugin.onChange = () => undefined
      sockets.close()
      files.close()
      clearInterval(timer)
      signal.removeEventListener('abort', check)
      resolve()
    }
    const change = (): void => {
      files.close()
      files = watchFiles(filesOf(plugin.device), check)
      check()
    }
    const timer = setInterval(look, plugin.recheckMs)
    const { folder } = plugin
    const sockets = watchFiles([join(folder, server.socketName), join(folder, kubeletSocket)], check)
    signal.addEventListener('abort', check)
    plugin.onChange = change
    change()
  })
}

const filesOf = ({ units }: PluginDevice): string[] => units.flatMap(({ files }) => files)

/** Tells when one of the files comes or goes. What is in a folder that is not there is seen by the next look only. */
function watchFiles(files: readonly string[], tell: () => void): { close(): void } {
  const byFolder = new Map<string, Set<string>>()
  for (const file of files) {
    const folder = dirname(file)
    byFolder.set(folder, (byFolder.get(folder) ?? new Set()).add(basename(file)))
  }
  const watchers = [...byFolder].flatMap(([folder, names]): FSWatcher[] => {
    if (!existsSync(folder)) return []
    const watcher = watch(folder, (_, name) => {
      if (name !== null && names.has(name)) tell()
    })
    return [watcher.on('error', tell)]
  })
  return { close: () => watchers.forEach((watcher) => watcher.close()) }
}

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino
