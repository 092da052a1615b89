import { commandLine } from '../host/isolation/command-line.ts'
import { emptyDirPath, hold, listenerOf } from '../host/isolation/pod-folder.ts'
import { parentOf } from '../host/isolation/process.ts'
import type { Guest } from './guest.ts'
import { launcherSocket } from './launcher-clients.ts'

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const subdomain = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/
const uidForm = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/

/**
 * The guest that whoever listens on a pod's launcher socket says to be there for. Only a claim: any pod of the node may
 * have such a socket, and its process any command line. Undefined when nothing is claimed.
 */
export async function claimedGuest(podsFolder: string, podUid: string): Promise<Guest | undefined> {
  const pid = listenerIn(emptyDirPath(podsFolder, podUid, 'sockets'))
  if (pid === undefined) return undefined
  const own = claimOf(await commandLine(pid))
  // A launcher shows its name alone where its arguments stood; the monitor that started it has the same ones.
  return own ?? claimOf(await commandLine(parentOf(pid) ?? 0))
}

function listenerIn(folder: string): number | undefined {
  const socket = hold(folder, launcherSocket)
  try {
    return socket && listenerOf(socket)?.pid
  } finally {
    socket?.close()
  }
}

/** The guest that a launcher's arguments name. What comes out is fit for a request to the API server, no more. */
export function claimOf(words: readonly string[]): Guest | undefined {
  const value = (flag: string): string => words[words.indexOf(flag) + 1 || words.length] ?? ''
  const guest = { namespace: value('--namespace'), name: value('--name'), uid: value('--uid') }
  const isWellFormed = label.test(guest.namespace) && subdomain.test(guest.name) && uidForm.test(guest.uid)
  return isWellFormed ? guest : undefined
}
