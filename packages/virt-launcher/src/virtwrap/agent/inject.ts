import { watch, type FSWatcher } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Launcher } from '../launcher.ts'
import { updateMetadata } from '../metadata.ts'
import { agentCommand } from './command.ts'
import { credentialFolders, readCredentials, type Credentials } from './credentials.ts'

/** Hands keys and passwords to the guest through its agent, and again whenever their secrets change. */
export type CredentialInjection = {
  /** The VMI's secrets, from now on. */
  follow(vmi: VirtualMachineInstance): void
  /** The agent has come or gone. */
  reachable(reachable: boolean): void
  close(): void
}

const retryMs = 10_000
const answerSeconds = 10

export function injectCredentials(launcher: Launcher): CredentialInjection {
  const { log, places } = launcher
  let vmi: VirtualMachineInstance | undefined
  let watchers: FSWatcher[] = []
  let reachable = false
  let applied: Credentials | undefined
  let working = false
  let changedMeanwhile = false
  let retry: NodeJS.Timeout | undefined

  const apply = async (): Promise<void> => {
    clearTimeout(retry)
    // A secret that changes while it is handed over may have been read before.
    if (working) changedMeanwhile = true
    if (working || !reachable || !vmi) return
    working = true
    changedMeanwhile = false
    try {
      const wanted = await readCredentials(vmi, places.guest.private)
      if (!isDeepStrictEqual(wanted, applied)) {
        await hand(wanted, launcher)
        applied = wanted
        await tell(launcher, { succeeded: 'true' })
        log.info({ users: Object.keys({ ...wanted.keys, ...wanted.passwords }) }, 'credentials handed to the guest')
      }
    } catch (error) {
      log.warn({ error }, 'the guest did not take its credentials')
      await tell(launcher, { succeeded: 'false', message: (error as Error).message }).catch(() => undefined)
      retry = setTimeout(() => void apply(), retryMs)
    }
    working = false
    if (changedMeanwhile) void apply()
  }
  const stop = (): void => {
    clearTimeout(retry)
    for (const watcher of watchers) watcher.close()
    watchers = []
  }
  return {
    follow(next) {
      const folders = credentialFolders(next, places.guest.private)
      if (vmi || folders.length === 0) return
      vmi = next
      watchers = folders.flatMap((folder) => watchFolder(folder, () => void apply()) ?? [])
      void apply()
    },
    reachable(now) {
      if (now === reachable) return
      reachable = now
      void apply()
    },
    close: stop,
  }
}

function watchFolder(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    return watch(folder, onChange).on('error', () => undefined)
  } catch {
    // A secret that is missing keeps its pod from starting, so this is a test's or a user's own folder.
    return undefined
  }
}

async function hand({ keys, passwords }: Credentials, launcher: Launcher): Promise<void> {
  for (const [username, list] of Object.entries(keys)) {
    const request = { username, keys: list, reset: true }
    await agentCommand(launcher, { execute: 'guest-ssh-add-authorized-keys', arguments: request }, answerSeconds)
  }
  for (const [user, password] of Object.entries(passwords))
    await launcher.libvirt.askAgent(async (domain) => domain?.setUserPassword(user, password))
}

async function tell(
  { libvirt, changes }: Launcher,
  accessCredential: { succeeded: 'true' | 'false'; message?: string },
): Promise<void> {
  await changes.run(() =>
    libvirt.change(async (domain) => {
      if (domain) await updateMetadata(domain, (metadata) => ({ ...metadata, accessCredential }))
    }),
  )
}
