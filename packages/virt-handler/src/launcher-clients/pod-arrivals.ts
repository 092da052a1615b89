import type { Logger } from '@kubevirt-ts/service'
import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { launcherSocket } from './launcher-clients.ts'

/** Where a launcher listens, below the folder of its pod; all but the last is made by the kubelet. */
const way = ['volumes', 'kubernetes.io~empty-dir', 'sockets', launcherSocket]
/** A pod whose launcher takes longer, or that has none, is not looked at any more. */
const patienceMs = 300_000

export interface PodArrivalsOptions {
  /** The kubelet's pods folder as this process sees it. */
  readonly podsFolder: string
  /** Called once for each pod in which something listens where a launcher would. */
  readonly onLauncher: (podUid: string) => void
  readonly log: Logger
}

/** Notices at once when a launcher of a new pod listens, without asking anybody but the node's own files. */
export class PodArrivals {
  readonly #options: PodArrivalsOptions
  readonly #underWay = new Map<string, Arrival>()
  #folder: FSWatcher | undefined

  constructor(options: PodArrivalsOptions) {
    this.#options = options
  }

  /** Pods that are there already count as new ones. */
  start(): void {
    const { podsFolder, log } = this.#options
    try {
      this.#folder = watch(podsFolder, (_, name) => name !== null && this.#look(name))
      this.#folder.on('error', (error) => log.warn({ error }, 'new pods are noticed late: their folder is not watched'))
      for (const podUid of readdirSync(podsFolder)) this.#look(podUid)
    } catch (error) {
      log.warn({ error }, 'new pods are noticed late: their folder cannot be watched')
    }
  }

  close(): void {
    this.#folder?.close()
    for (const arrival of this.#underWay.values()) arrival.close()
    this.#underWay.clear()
  }

  #look(podUid: string): void {
    if (this.#underWay.has(podUid)) return
    const folder = join(this.#options.podsFolder, podUid)
    if (!isThere(folder)) return
    const arrival = new Arrival(folder, (found) => {
      this.#underWay.delete(podUid)
      if (found) this.#options.onLauncher(podUid)
    })
    this.#underWay.set(podUid, arrival)
    arrival.follow()
  }
}

/** The way to one pod's launcher, of which a part after the other comes to be. */
class Arrival {
  readonly #folder: string
  readonly #onEnd: (found: boolean) => void
  readonly #late: NodeJS.Timeout
  #watched: { readonly path: string; readonly watcher: FSWatcher } | undefined

  /** @param onEnd called once, with false when the pod is gone or nothing came for long */
  constructor(folder: string, onEnd: (found: boolean) => void) {
    this.#folder = folder
    this.#onEnd = onEnd
    this.#late = setTimeout(() => this.#end(false), patienceMs)
    this.#late.unref()
  }

  /** Watches the deepest part that is there; what appears while it begins to is seen by looking once more. */
  follow(): void {
    for (;;) {
      const present = this.#present()
      if (present === undefined) return this.#end(false)
      if (present.length === way.length) return this.#end(true)
      const path = join(this.#folder, ...present)
      if (this.#watched?.path === path) return
      this.#watched?.watcher.close()
      try {
        const watcher = watch(path, () => this.follow())
        watcher.on('error', () => this.#end(false))
        this.#watched = { path, watcher }
      } catch {
        // Gone again, or too much is watched on this node: its guest starts with the hand-over.
        return this.#end(false)
      }
    }
  }

  close(): void {
    clearTimeout(this.#late)
    this.#watched?.watcher.close()
  }

  #present(): string[] | undefined {
    if (!isThere(this.#folder)) return undefined
    const missing = way.findIndex((_, index) => !isThere(join(this.#folder, ...way.slice(0, index + 1))))
    return missing === -1 ? way : way.slice(0, missing)
  }

  #end(found: boolean): void {
    this.close()
    this.#onEnd(found)
  }
}

/** A link counts as itself; whoever opens it refuses it. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
