import { readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensurePackages, kvmUsable, stateDir } from '@kubevirt-ts/dev-cluster'
import { tinyGuestFiles } from '@kubevirt-ts/images'

/**
 * Whether guests must run by software emulation. Decided by booting a guest, once: some machines have the device file
 * and hang every guest that uses it.
 */
export async function usesEmulation(): Promise<boolean> {
  if (!existsSync('/dev/kvm')) return true
  const record = join(stateDir(), 'kvm-usable')
  const known = await readFile(record, 'utf8').catch(() => undefined)
  if (known !== undefined) return known !== 'true'
  await ensurePackages(['qemu-system-x86'])
  const usable = await kvmUsable(await tinyGuestFiles())
  await writeFile(record, String(usable))
  return !usable
}
