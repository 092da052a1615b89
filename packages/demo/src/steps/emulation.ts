import { readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { installPackages, kvmUsable, stateDir } from '@kubevirt-ts/dev-cluster'
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
  if (!existsSync('/usr/bin/qemu-system-x86_64'))
    await installPackages(['qemu-system-x86'], join(stateDir(), 'log', 'packages.log'))
  const usable = await kvmUsable(await tinyGuestFiles())
  await writeFile(record, String(usable))
  return !usable
}
