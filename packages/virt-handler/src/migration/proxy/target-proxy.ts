import { migrationPorts, migrationProxyFolder, migrationSocket } from '@kubevirt-ts/handler-launcher-com'
import type { Logger } from '@kubevirt-ts/service'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { emptyDirPath, hold } from '../../host/isolation/pod-folder.ts'
import { type Encryption, listenerFor } from './encryption.ts'
import { join } from './join.ts'

/** The doors that are open for one guest that is to come. */
export interface TargetProxy {
  readonly podUid: string
  /** Ports of this node, each with what it leads to: KubeVirt's `targetDirectMigrationNodePorts`. */
  readonly ports: Readonly<Record<string, number>>
  close(): void
  /** Closes at once, whatever is still to be said: nothing comes through any more. */
  cut(): void
}

export interface TargetProxyOptions {
  /** Address to listen on. */
  readonly host: string
  readonly podsFolder: string
  readonly podUid: string
  /** UID of the VMI. */
  readonly uid: string
  /** A port for each, by the number of the port in the pod. */
  readonly conversations: readonly number[]
  readonly encryption: Encryption | undefined
  readonly log: Logger
}

/** The daemon's socket in the pod: the modular one's name, else the monolithic one's. */
const daemonSockets = ['virtqemud-sock', 'libvirt-sock']

/** Opens a port for each conversation of a migration; each leads to a socket inside the target pod and nowhere else. */
export async function openTargetProxy(options: TargetProxyOptions): Promise<TargetProxy> {
  const { host, podUid, conversations, encryption, log } = options
  const open = new Set<Socket>()
  const servers: Server[] = []
  const close = (): void => {
    for (const server of servers) server.close()
    endSoon(open)
  }
  const cut = (): void => {
    for (const server of servers) server.close()
    for (const socket of open) socket.destroy()
  }
  const ports: Record<string, number> = {}
  try {
    for (const port of conversations) {
      const server = listenerFor(encryption, (peer) => {
        track(open, peer)
        void connectInPod(options, port)
          .then((inside) => {
            track(open, inside)
            join(peer, inside)
          })
          .catch((error: unknown) => {
            log.warn({ error, port, uid: options.uid }, 'a migration does not reach the target pod')
            peer.destroy()
          })
      })
      servers.push(server)
      server.listen(0, host)
      await once(server, 'listening')
      server.on('error', (error) => log.warn({ error, port }, 'a migration port failed'))
      ports[String((server.address() as AddressInfo).port)] = port
    }
  } catch (error) {
    close()
    throw error
  }
  return { podUid, ports, close, cut }
}

/** The last words of a migration, that the guest runs, must still reach the other side; who waits for them is patient. */
const lastWordsMs = 10_000

/** Lets conversations come to their end, and ends those that do not. */
export function endSoon(open: ReadonlySet<Socket>): void {
  setTimeout(() => {
    for (const socket of open) socket.destroy()
  }, lastWordsMs).unref()
}

/** Keeps a set of the sockets that are open. */
export function track(open: Set<Socket>, socket: Socket): void {
  open.add(socket)
  socket.once('close', () => open.delete(socket))
}

async function connectInPod({ podsFolder, podUid, uid }: TargetProxyOptions, port: number): Promise<Socket> {
  const [volume, names] =
    port === migrationPorts.control
      ? (['libvirt-runtime', daemonSockets] as const)
      : (['public', [`${migrationProxyFolder}/${migrationSocket(uid, port)}`]] as const)
  const held = names.flatMap((name) => hold(emptyDirPath(podsFolder, podUid, volume), name) ?? [])
  const [first] = held
  try {
    if (first === undefined) throw new Error(`${names.join(' or ')} is not in the target pod`)
    const socket = connect({ path: first.path })
    await once(socket, 'connect')
    return socket
  } finally {
    for (const each of held) each.close()
  }
}
