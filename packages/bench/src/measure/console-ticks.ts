import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { listProcesses } from '../processes.ts'
import { TickReader } from './ticks.ts'

const pollMs = 2
const findMs = 50

/** What a guest of the product says on its console, read from its launcher's file as soon as it is written. */
export class ConsoleTicks {
  readonly reader = new TickReader()
  readonly pid: number
  #ended = false
  readonly #done: Promise<void>

  constructor(pid: number, vmiUid: string) {
    this.pid = pid
    // Not by /var/run: that is an absolute link, which would lead out of the pod.
    this.#done = this.#follow(`/proc/${pid}/root/run/kubevirt-private/${vmiUid}/virt-serial0-log`)
  }

  async #follow(path: string): Promise<void> {
    let file: Awaited<ReturnType<typeof open>> | undefined
    const block = Buffer.alloc(65_536)
    try {
      while (!this.#ended) {
        file ??= await open(path).catch(() => undefined)
        const { bytesRead } = (await file?.read(block, 0, block.length, null)) ?? { bytesRead: 0 }
        if (bytesRead > 0) this.reader.take(block.toString('latin1', 0, bytesRead), performance.now())
        else await sleep(pollMs)
      }
    } finally {
      await file?.close()
    }
  }

  async end(): Promise<void> {
    this.#ended = true
    await this.#done
  }
}

/** Waits for a QEMU of the guest that is none of the known ones. */
export async function newQemuOf(guest: string, known: ReadonlySet<number>, signal: AbortSignal): Promise<number> {
  for (;;) {
    const found = (await listProcesses()).find(
      ({ pid, command }) => command.includes(`guest=${guest},`) && !known.has(pid),
    )
    if (found !== undefined) return found.pid
    await sleep(findMs, undefined, { signal })
  }
}
