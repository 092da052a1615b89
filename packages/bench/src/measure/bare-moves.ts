import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { pauseBetween, TickReader } from './ticks.ts'

export type BareMove = { readonly pauseMs: number; readonly totalMs: number; readonly toldMs: number }

const pollMs = 10
const patienceMs = 240_000

/** Where a launcher has the images of the guest, and room for sockets. */
type Place = { readonly rootDisk: string; readonly seedDisk: string; readonly folder: string }

/**
 * Moves the guest of a launcher without any of the product: the same program with the same disks, which boots once more
 * and goes from one process to the next by a unix socket. The reference of moves in the same run.
 * @param pid the launcher's QEMU, in whose files the program and the disks are
 * @param tell is called after each
 */
export async function bareMoves(
  pid: number,
  moves: number,
  place: Place,
  tell: (move: number, measured: BareMove) => void,
): Promise<BareMove[]> {
  let guest = await BareGuest.start(pid, place, 0, false)
  const measured: BareMove[] = []
  try {
    await until('the bare guest counts', () => guest.reader.ticks.length > 20)
    for (let move = 1; move <= moves; move++) {
      const next = await BareGuest.start(pid, place, move, true)
      try {
        const one = await guest.moveTo(next, `${place.folder}/bare-${move}.move`)
        measured.push(one)
        tell(move, one)
      } finally {
        guest.end()
        guest = next
      }
    }
  } finally {
    guest.end()
  }
  return measured
}

async function until(what: string, is: () => boolean): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!is()) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${patienceMs / 1000} s`)
    await sleep(pollMs)
  }
}

type Answer = { readonly return?: unknown; readonly error?: { readonly desc: string } }

class BareGuest {
  readonly reader = new TickReader()
  readonly #child: ChildProcess
  readonly #socket: Socket
  readonly #lines: AsyncIterator<string>

  private constructor(child: ChildProcess, socket: Socket, lines: AsyncIterator<string>) {
    this.#child = child
    this.#socket = socket
    this.#lines = lines
  }

  static async start(pid: number, place: Place, number: number, incoming: boolean): Promise<BareGuest> {
    const control = `${place.folder}/bare-${number}.qmp`
    const disk = (file: string, format: string): string[] => [
      '-drive',
      `if=virtio,readonly=on,format=${format},file=${file},file.locking=off`,
    ]
    const options = [
      ...'-machine q35,accel=tcg -cpu max -m 128 -display none -nodefaults -serial stdio'.split(' '),
      ...'-device virtio-net-pci,netdev=n -netdev user,id=n,restrict=on'.split(' '),
      ...disk(place.rootDisk, 'qcow2'),
      ...disk(place.seedDisk, 'raw'),
      '-qmp',
      `unix:${control},server=on,wait=off`,
      ...(incoming ? ['-incoming', 'defer'] : []),
    ]
    const inPod = ['--target', String(pid), '--mount', '--']
    const child = spawn('nsenter', [...inPod, 'qemu-system-x86_64', ...options])
    await shareProcessors(pid, child.pid ?? 0)
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
    try {
      const socket = await reach(`/proc/${pid}/root${control}`, () => said)
      const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
      const guest = new BareGuest(child, socket, lines)
      child.stdout.setEncoding('utf8').on('data', (text: string) => guest.reader.take(text, performance.now()))
      await lines.next()
      await guest.ask('qmp_capabilities')
      return guest
    } catch (error) {
      child.kill('SIGKILL')
      throw error
    }
  }

  async ask(execute: string, given: object = {}): Promise<unknown> {
    this.#socket.write(JSON.stringify({ execute, arguments: given }))
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done === true) throw new Error(`bare QEMU ended at ${execute}`)
      const answer = JSON.parse(value) as Answer
      if (answer.error !== undefined) throw new Error(`${execute}: ${answer.error.desc}`)
      if ('return' in answer) return answer.return
    }
  }

  async moveTo(target: BareGuest, socket: string): Promise<BareMove> {
    await target.ask('migrate-incoming', { uri: `unix:${socket}` })
    // As libvirt does: as fast as it goes.
    await this.ask('migrate-set-parameters', { 'max-bandwidth': 2 ** 50 })
    await this.ask('migrate', { uri: `unix:${socket}` })
    let told: { readonly status?: string; readonly downtime?: number; readonly 'total-time'?: number } = {}
    const deadline = Date.now() + patienceMs
    while (told.status !== 'completed') {
      if (told.status === 'failed' || Date.now() > deadline) throw new Error(`a bare move is ${told.status}`)
      await sleep(pollMs)
      told = (await this.ask('query-migrate')) as typeof told
    }
    const pause = () => pauseBetween(this.reader.ticks, target.reader.ticks)
    await until('the bare guest goes on', () => pause() !== undefined)
    return { pauseMs: pause()!, totalMs: told['total-time'] ?? NaN, toldMs: told.downtime ?? NaN }
  }

  end(): void {
    this.#socket.destroy()
    this.#child.kill('SIGKILL')
  }
}

/** A process gets what the other's group gets: beside the pods it would have as much as all of them together. */
async function shareProcessors(of: number, pid: number): Promise<void> {
  const groups = await readFile(`/proc/${of}/cgroup`, 'utf8')
  const [, version1] = /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m.exec(groups) ?? []
  const [, version2 = ''] = /^0::(.*)$/m.exec(groups) ?? []
  const group = version1 === undefined ? `/sys/fs/cgroup${version2}` : `/sys/fs/cgroup/cpu${version1}`
  await writeFile(`${group}/cgroup.procs`, String(pid))
}

async function reach(path: string, said: () => string): Promise<Socket> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const socket = connect({ path })
    try {
      await once(socket, 'connect')
      return socket
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`bare QEMU does not answer: ${said()}`, { cause: error })
      await sleep(pollMs)
    }
  }
}
