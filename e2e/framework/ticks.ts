import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Pod } from '@kubevirt-ts/api'
import { tools } from './tools.ts'

/** One count of a guest, as its console log shows it. */
export type Tick = { readonly boot: string; readonly count: number; readonly atMs: number }

// A line that was cut in two by the switch to another node is none.
const line = /^(\S+) tick ([0-9a-f]{8}) (\d+)\.\r?$/

/** What a guest that counts aloud says in each of its launchers, from when that one is followed. */
export class TickLog implements Disposable {
  readonly #followers = new Map<string, { readonly stop: () => void; readonly ticks: Tick[] }>()

  /** Begins to listen to a launcher, from the guest's first word on; once for each. */
  follow({ metadata }: Pod): void {
    const { uid = '', name, namespace = '' } = metadata
    if (this.#followers.has(uid)) return
    const logs = spawn(tools().kubectl, [
      'logs',
      '--follow',
      '--timestamps',
      '-n',
      namespace,
      name,
      '-c',
      'guest-console-log',
    ])
    const ticks: Tick[] = []
    createInterface({ input: logs.stdout }).on('line', (text) => {
      const [, at = '', boot = '', count = ''] = line.exec(text) ?? []
      if (boot !== '') ticks.push({ boot, count: Number(count), atMs: Date.parse(at) })
    })
    this.#followers.set(uid, { stop: () => logs.kill(), ticks })
  }

  /** What was heard in one launcher so far. */
  of({ metadata }: Pod): readonly Tick[] {
    return this.#followers.get(metadata.uid ?? '')?.ticks ?? []
  }

  /** Counts that were heard more than once: two copies of the guest ran. */
  twice(): string[] {
    const heard = new Set<string>()
    const twice: string[] = []
    for (const { ticks } of this.#followers.values())
      for (const { boot, count } of ticks) {
        const key = `${boot} ${count}`
        if (heard.has(key)) twice.push(key)
        heard.add(key)
      }
    return twice
  }

  [Symbol.dispose](): void {
    for (const { stop } of this.#followers.values()) stop()
  }
}

/** Milliseconds between a guest's last word in one launcher and its first in the next; undefined where it has none. */
export function pauseBetween(before: readonly Tick[], after: readonly Tick[]): number | undefined {
  const [first] = after
  const last = before.findLast(({ boot, count }) => boot === first?.boot && count < first.count)
  return first === undefined || last === undefined ? undefined : first.atMs - last.atMs
}
