import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { emptyDirPath, hold, type HeldPath } from '../host/isolation/pod-folder.ts'

/** A stream socket of a guest's device, by the name that QEMU gave it. */
export type StreamName = 'virt-serial0' | 'virt-vnc' | `virt-usbredir-${number}`

/** The devices of a stream: one, or several of which each takes one client. */
export const streams: Readonly<Record<string, readonly StreamName[]>> = {
  console: ['virt-serial0'],
  vnc: ['virt-vnc'],
  usbredir: ['virt-usbredir-0', 'virt-usbredir-1', 'virt-usbredir-2', 'virt-usbredir-3'],
}

/** A connection to a device, or to a service, of a guest. */
export interface Device {
  readonly socket: Duplex
  /**
   * Begins to read. `sink` gets bytes that are overwritten by the next ones; when it answers false, those only come after
   * `socket.resume()`.
   */
  readonly read: (sink: (bytes: Buffer) => boolean) => void
}

/** What is read at once; as much as Node reads from a socket. */
const readBytes = 64 * 1024

/**
 * Connects to a device of the guest. The socket is reached through a descriptor: a launcher that swaps it for a link
 * leads nowhere. Undefined when the guest has no such device or nobody listens.
 */
export async function connectDevice(
  podsFolder: string,
  podUid: string,
  vmiUid: string,
  name: StreamName,
): Promise<Device | undefined> {
  const socket = hold(emptyDirPath(podsFolder, podUid, 'private'), `${vmiUid}/${name}`)
  return socket && connectHeld(socket)
}

async function connectHeld(held: HeldPath): Promise<Device | undefined> {
  let sink: (bytes: Buffer) => boolean = () => false
  // One buffer is read into over and over: a fast console would make garbage of each.
  const buffer = Buffer.allocUnsafe(readBytes)
  const callback = (length: number) => sink(buffer.subarray(0, length))
  const socket = connect({ path: held.path, onread: { buffer, callback } })
  socket.pause()
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    return {
      socket,
      read(next) {
        sink = next
        socket.resume()
      },
    }
  } catch {
    socket.destroy()
    return undefined
  } finally {
    held.close()
  }
}

/** How long a guest may take over what was typed last. */
const lastBytesMs = 5_000

/** Bytes both ways until one side ends; a slow reader on either side holds the other back. */
export function join(webSocket: WebSocket, { socket, read }: Device): void {
  webSocket.on('message', (data: Buffer) => {
    if (socket.write(data)) return
    webSocket.pause()
    socket.once('drain', () => webSocket.resume())
  })
  webSocket.on('error', () => webSocket.terminate())
  webSocket.once('close', () => endSoon(socket))
  socket.on('error', () => socket.destroy())
  socket.once('end', () => webSocket.close())
  socket.once('close', () => webSocket.close())
  read((bytes) => {
    webSocket.send(bytes, { binary: true }, () => socket.resume())
    return false
  })
}

/** What was typed last still reaches the guest, but one that takes nothing keeps nothing open. */
function endSoon(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), lastBytesMs).unref()
  socket.once('close', () => clearTimeout(timer))
  socket.end(() => socket.destroy())
}
