import { existsSync } from 'node:fs'
import type { Domain } from '@kubevirt-ts/domain'
import { decodeJson, serveNotify } from '@kubevirt-ts/handler-launcher-com'
import { hasEnded } from '../launcher-clients/domain-cache.ts'
import { emptyDirPath, giveTo, holdFolder } from '../host/isolation/pod-folder.ts'

export const notifySocket = 'domain-notify-pipe.sock'

/** The user the launcher runs as. */
const launcherUser = 107

export interface NotifyPipe {
  close(): Promise<void>
}

export interface NotifyPipeOptions {
  readonly podsFolder: string
  readonly podUid: string
  /** Undefined: the launcher has no domain any more. */
  readonly onDomain: (domain: Domain | undefined) => void
  /** An event as the launcher wrote it; nothing in it can be trusted. */
  readonly onEvent: (event: unknown) => void
}

/**
 * Listens inside one launcher's pod, so that the sender is known by the socket and cannot speak for another guest.
 * Undefined while the pod's folder is not there.
 */
export async function openNotifyPipe(options: NotifyPipeOptions): Promise<NotifyPipe | undefined> {
  const { podsFolder, podUid, onDomain, onEvent } = options
  const path = emptyDirPath(podsFolder, podUid, 'public')
  const folder = holdFolder(path)
  if (folder === undefined) return undefined
  try {
    const server = await serveNotify(`${folder.path}/${notifySocket}`, {
      async handleDomainEvent({ domainJSON, eventType }) {
        if (eventType !== 'Error') onDomain(stateIn(decodeJson<Domain>(domainJSON), eventType))
        return accepted
      },
      async handleK8SEvent({ eventJSON }) {
        onEvent(decodeJson(eventJSON))
        return accepted
      },
    })
    giveTo(folder, notifySocket, launcherUser)
    return {
      async close() {
        await server.close()
        folder.close()
      },
    }
  } catch (error) {
    folder.close()
    // The kubelet took it away meanwhile: the pod was that of an earlier stay.
    if (!existsSync(path)) return undefined
    throw error
  }
}

/** A deleted domain still tells how the guest ended, if it says so. */
function stateIn(domain: Domain | undefined, eventType: string): Domain | undefined {
  return eventType === 'Deleted' && domain !== undefined && !hasEnded(domain) ? undefined : domain
}

const accepted = { success: true, message: '' }
