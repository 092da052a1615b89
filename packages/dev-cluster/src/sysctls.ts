import { existsSync, readFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateRoot } from './paths.ts'

/** Every kubelet, containerd and node agent watches files; a machine's usual 128 watchers end with the third node. */
const watchers = { setting: 'fs/inotify/max_user_instances', needed: 1024 }

/** A guest's memory that follows it (post-copy) is fetched by a process without rights of its own. */
const userFaults = 'vm/unprivileged_userfaultfd'

// Settings of the whole machine that are changed here, or by a kubelet when it starts.
const settings = [
  watchers.setting,
  userFaults,
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
]

const record = (): string => join(stateRoot(), '.sysctls.json')
const fileOf = (setting: string): string => join('/proc/sys', setting)

/** Remembers the machine's settings before the first cluster's first node changes them. */
export async function rememberSysctls(): Promise<void> {
  if (existsSync(record())) return
  const known = settings.filter((setting) => existsSync(fileOf(setting)))
  const values = Object.fromEntries(known.map((setting) => [setting, readFileSync(fileOf(setting), 'utf8').trim()]))
  await writeFile(record(), JSON.stringify(values))
}

/** Lets the nodes' programs watch files. Call `rememberSysctls` first. */
export async function allowWatchers(): Promise<void> {
  const file = fileOf(watchers.setting)
  if (Number(await readFile(file, 'utf8').catch(() => Infinity)) >= watchers.needed) return
  await writeFile(file, String(watchers.needed))
}

/** Lets guests move by post-copy where the kernel knows that. Call `rememberSysctls` first. */
export async function allowPostCopy(): Promise<void> {
  if (existsSync(fileOf(userFaults))) await writeFile(fileOf(userFaults), '1')
}

/** Puts the settings back as they were. To be called when the last cluster has ended. */
export async function restoreSysctls(): Promise<void> {
  const text = await readFile(record(), 'utf8').catch(() => '{}')
  for (const [setting, value] of Object.entries(JSON.parse(text) as Record<string, string>)) {
    if (settings.includes(setting)) await writeFile(fileOf(setting), value)
  }
  await rm(record(), { force: true })
}
