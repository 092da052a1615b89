import { connect, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { createWebSocketStream, type WebSocket } from 'ws'
import { emptyDirPath, hold, type HeldPath } from '../host/isolation/pod-folder.ts'

/** A stream socket of a guest's device, by the name that QEMU gave it. */
export type StreamName = 'virt-serial0' | 'virt-vnc' | `virt-usbredir-${number}`

/** The devices of a stream: one, or several of which each takes one client. */
export const streams: Readonly<Record<string, readonly StreamName[]>> = {
  console: ['virt-serial0'],
  vnc: ['virt-vnc'],
  usbredir: ['virt-usbredir-0', 'virt-usbredir-1', 'virt-usbredir-2', 'virt-usbredir-3'],
}

/**
 * Connects to a device of the guest. The socket is reached through a descriptor: a launcher that swaps it for a link
 * leads nowhere. Undefined when the guest has no such device or nobody listens.
 */
export async function connectDevice(
  podsFolder: string,
  podUid: string,
  vmiUid: string,
  name: StreamName,
): Promise<Socket | undefined> {
  const socket = hold(emptyDirPath(podsFolder, podUid, 'private'), `${vmiUid}/${name}`)
  return socket && connectHeld(socket)
}

async function connectHeld(held: HeldPath): Promise<Socket | undefined> {
  const socket = connect(held.path)
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    return socket
  } catch {
    socket.destroy()
    return undefined
  } finally {
    held.close()
  }
}

/** Bytes both ways until one side ends; a slow reader on either side holds the other back. */
export function join(webSocket: WebSocket, device: Socket): void {
  const stream = createWebSocketStream(webSocket)
  pipeline(stream, device, stream, () => {
    device.destroy()
    webSocket.close()
  })
}
