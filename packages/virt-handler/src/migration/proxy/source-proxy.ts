import { migrationProxyFolder, migrationSocket } from '@kubevirt-ts/handler-launcher-com'
import { type Logger, VirtError } from '@kubevirt-ts/service'
import { createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { emptyDirPath, giveTo, holdFolder } from '../../host/isolation/pod-folder.ts'
import { dial, type Encryption } from './encryption.ts'
import { join } from './join.ts'
import { endSoon, track } from './target-proxy.ts'

/** The way out of one guest's pod to its target. */
export interface SourceProxy {
  /** Why a conversation with the target was refused or broke off, for people; undefined where none was. */
  trouble(): string | undefined
  close(): void
}

export interface SourceProxyOptions {
  readonly podsFolder: string
  readonly podUid: string
  /** UID of the VMI. */
  readonly uid: string
  readonly targetAddress: string
  /** What the target's agent opened. */
  readonly targetPorts: Readonly<Record<string, number>>
  readonly encryption: Encryption | undefined
  readonly log: Logger
}

/** The user the launcher runs as. */
const launcherUser = 107

/** Makes a socket in the pod for each of the target's ports; what the pod sends there goes to that port. */
export async function openSourceProxy(options: SourceProxyOptions): Promise<SourceProxy> {
  const { podsFolder, podUid, uid, targetAddress, targetPorts, encryption, log } = options
  const folder = holdFolder(emptyDirPath(podsFolder, podUid, 'public'), migrationProxyFolder)
  if (folder === undefined)
    throw new VirtError('LauncherTooOld', `the pod has no folder ${migrationProxyFolder}; its launcher cannot migrate`)
  const open = new Set<Socket>()
  const servers: Server[] = []
  let trouble: string | undefined
  const note = (outer: string, error: unknown): void => {
    trouble ??= `${targetAddress}:${outer}: ${error instanceof Error ? error.message : String(error)}`
  }
  const close = (): void => {
    for (const server of servers) server.close()
    endSoon(open)
    for (const port of Object.values(targetPorts))
      rmSync(`${folder.path}/${migrationSocket(uid, port)}`, { force: true })
    folder.close()
  }
  try {
    for (const [outer, inner] of Object.entries(targetPorts)) {
      const name = migrationSocket(uid, inner)
      rmSync(`${folder.path}/${name}`, { force: true })
      const server = createServer({ pauseOnConnect: true }, (local) => {
        track(open, local)
        local.on('error', () => undefined)
        void dial(targetAddress, Number(outer), encryption)
          .then((remote) => {
            track(open, remote)
            remote.on('error', (error) => note(outer, error))
            join(local, remote)
            local.resume()
          })
          .catch((error: unknown) => {
            note(outer, error)
            log.warn({ error, targetAddress, port: outer }, 'the migration target cannot be reached')
            local.destroy()
          })
      })
      servers.push(server)
      server.listen(`${folder.path}/${name}`)
      await once(server, 'listening')
      server.on('error', (error) => log.warn({ error, uid }, 'a migration socket failed'))
      giveTo(folder, name, launcherUser)
    }
  } catch (error) {
    close()
    throw error
  }
  return { close, trouble: () => trouble }
}
