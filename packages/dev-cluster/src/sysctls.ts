import { existsSync, readFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateRoot } from './paths.ts'

// Settings of the whole machine that a kubelet changes when it starts.
const settings = [
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

/** Puts the settings back as they were. To be called when the last cluster has ended. */
export async function restoreSysctls(): Promise<void> {
  const text = await readFile(record(), 'utf8').catch(() => '{}')
  for (const [setting, value] of Object.entries(JSON.parse(text) as Record<string, string>)) {
    if (settings.includes(setting)) await writeFile(fileOf(setting), value)
  }
  await rm(record(), { force: true })
}
