import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { vmi } from '@kubevirt-ts/libvmi'
import { createLogger, Lane } from '@kubevirt-ts/service'
import type { Launcher } from '../launcher.ts'
import { type CredentialInjection, injectCredentials } from './inject.ts'

let folder: string
let injection: CredentialInjection
/** What the guest was handed, in order; a test may wait for the next and do something before the agent has answered. */
let handed: string[]
let onHanded: (what: string) => unknown

const guest = vmi()
guest.spec.accessCredentials = [
  {
    sshPublicKey: {
      source: { secret: { secretName: 'keys' } },
      propagationMethod: { qemuGuestAgent: { users: ['debian'] } },
    },
  },
  { userPassword: { source: { secret: { secretName: 'passwords' } }, propagationMethod: { qemuGuestAgent: {} } } },
]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inject-'))
  handed = []
  onHanded = () => undefined
  write('keys', 'key', 'ssh-ed25519 AAAA e2e\n')
  write('passwords', 'root', 'secret')
  injection = injectCredentials(launcher())
})
afterEach(() => {
  injection.close()
  rmSync(folder, { recursive: true })
})

function write(secret: string, key: string, text: string): void {
  const path = join(folder, 'secret', `${secret}-access-cred`)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, key), text)
}

function launcher(): Launcher {
  const hand = async (what: string): Promise<void> => {
    handed.push(what)
    await onHanded(what)
  }
  const domain = {
    async agentCommand(command: string) {
      const { execute, arguments: asked } = JSON.parse(command) as { execute: string; arguments: { keys: string[] } }
      await hand(`${execute} ${asked.keys.join()}`)
      return '{"return":{}}'
    },
    setUserPassword: async (user: string, password: string) => hand(`${user}: ${password}`),
    metadata: async () => undefined,
    setMetadata: async () => undefined,
  }
  const use = async (task: (use: typeof domain) => unknown): Promise<unknown> => task(domain)
  return {
    places: { guest: { private: folder } },
    log: createLogger({ component: 'test', destination: { write() {} } }),
    libvirt: { change: use, askAgent: use },
    changes: new Lane(),
  } as unknown as Launcher
}

/** Waits until the guest is handed something that the predicate wants. */
const untilHanded = (wanted: (what: string) => boolean): Promise<void> =>
  new Promise((resolve) => {
    onHanded = (what) => wanted(what) && resolve()
  })

test('keys and passwords are handed to the guest when its agent comes', async () => {
  const passwordHanded = untilHanded((what) => what.startsWith('root'))
  injection.follow(guest)
  expect(handed).toEqual([])

  injection.reachable(true)

  await passwordHanded
  expect(handed).toEqual(['guest-ssh-add-authorized-keys ssh-ed25519 AAAA e2e', 'root: secret'])
})

test('a password that changes while the former one is handed over is handed over, too', async () => {
  injection.follow(guest)
  const changed = new Promise<void>((resolve) => {
    onHanded = async (what) => {
      if (what === 'root: changed') resolve()
      if (what !== 'root: secret') return
      // Whoever watches the folder since before is told before this is.
      const noticed = watch(join(folder, 'secret', 'passwords-access-cred'))
      const notice = once(noticed, 'change')
      writeFileSync(join(folder, 'new'), 'changed')
      renameSync(join(folder, 'new'), join(folder, 'secret', 'passwords-access-cred', 'root'))
      await notice
      noticed.close()
    }
  })

  injection.reachable(true)

  await changed
})
