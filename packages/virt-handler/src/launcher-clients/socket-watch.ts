import { existsSync, type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import type { Guest } from './guest.ts'

/** Notices at once when a socket appears in a guest's folder. */
export class SocketWatch {
  readonly #watchers = new Map<string, { readonly folder: string; readonly watcher: FSWatcher }>()
  readonly #socket: string
  readonly #onThere: (guest: Guest) => void

  constructor(socket: string, onThere: (guest: Guest) => void) {
    this.#socket = socket
    this.#onThere = onThere
  }

  /** Watches until the socket was seen. Again for the same guest is harmless; another folder takes the place of the first. */
  add(guest: Guest, folder: string): void {
    if (this.#watchers.get(guest.uid)?.folder === folder) return
    this.remove(guest.uid)
    const there = (): void => {
      this.remove(guest.uid)
      this.#onThere(guest)
    }
    const watcher = watch(folder, (_, name) => {
      if (name === this.#socket && existsSync(join(folder, this.#socket))) there()
    })
    watcher.on('error', there)
    this.#watchers.set(guest.uid, { folder, watcher })
    if (existsSync(join(folder, this.#socket))) there()
  }

  remove(uid: string): void {
    this.#watchers.get(uid)?.watcher.close()
    this.#watchers.delete(uid)
  }

  close(): void {
    for (const uid of this.#watchers.keys()) this.remove(uid)
  }
}
