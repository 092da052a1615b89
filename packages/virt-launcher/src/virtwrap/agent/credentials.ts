import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'

/** What the guest's agent has to set, by user. */
export type Credentials = {
  readonly keys: Readonly<Record<string, readonly string[]>>
  readonly passwords: Readonly<Record<string, string>>
}

/** The folders of the secrets that go to the guest through its agent, as the pod has them. */
export function credentialFolders(vmi: VirtualMachineInstance, privateDir: string): string[] {
  const secrets = (vmi.spec.accessCredentials ?? []).flatMap(({ sshPublicKey, userPassword }) => {
    const source = [sshPublicKey, userPassword].find((each) => each?.propagationMethod.qemuGuestAgent)?.source
    return source?.secret?.secretName ?? []
  })
  return [...new Set(secrets)].map((name) => folderOf(privateDir, name))
}

/** Reads the secrets as they are now. */
export async function readCredentials(vmi: VirtualMachineInstance, privateDir: string): Promise<Credentials> {
  const keys: Record<string, string[]> = {}
  const passwords: Record<string, string> = {}
  for (const { sshPublicKey, userPassword } of vmi.spec.accessCredentials ?? []) {
    const users = sshPublicKey?.propagationMethod.qemuGuestAgent?.users ?? []
    const keySecret = sshPublicKey?.source.secret?.secretName
    if (users.length > 0 && keySecret) {
      const found = Object.values(await filesOf(folderOf(privateDir, keySecret))).flatMap(lines)
      for (const user of users) keys[user] = [...(keys[user] ?? []), ...found]
    }
    const passwordSecret = userPassword?.source.secret?.secretName
    if (userPassword?.propagationMethod.qemuGuestAgent && passwordSecret)
      Object.assign(passwords, await filesOf(folderOf(privateDir, passwordSecret)))
  }
  return { keys, passwords }
}

const folderOf = (privateDir: string, secret: string): string => join(privateDir, 'secret', `${secret}-access-cred`)

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Names with two dots belong to kubelet's way of replacing a secret at once. */
async function filesOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('..')).toSorted()
  const files = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  )
  return Object.fromEntries(files.map(([name, text]) => [name, text.replace(/\n$/, '')]))
}
