import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buildGuests } from './build.ts'
import { recipes } from './catalog.ts'
import { chooseEngine } from './engine/choose.ts'
import { keyedPlan } from './keys.ts'
import { imagesCache, packageFolder } from './places.ts'

/** Kernel and initrd of the tiny guest as files of this machine, for QEMU without a cluster. Builds what is missing. */
export async function tinyGuestFiles(): Promise<{ readonly kernel: string; readonly initrd: string }> {
  const folder = await guestFiles('guest-tiny-kernel')
  return { kernel: join(folder, 'boot', 'vmlinuz'), initrd: join(folder, 'boot', 'initrd') }
}

/** Kernel arguments with which the tiny guest boots soonest under emulation; its disk has them built in. */
export const tinyGuestArguments = (): string =>
  readFileSync(join(packageFolder('images'), 'guests', 'tiny', 'kernel-arguments'), 'utf8').trim()

/** The disk of a guest's container disk image as a file of this machine, qcow2; open it read-only or as a backing file. */
export const guestDisk = async (guest: 'guest-tiny' | 'guest-debian'): Promise<string> =>
  join(await guestFiles(guest), 'disk', 'disk.qcow2')

async function guestFiles(guest: string): Promise<string> {
  const key = (await keyedPlan(recipes, [guest])).find(({ name }) => name === guest)?.key ?? ''
  const folder = imagesCache('guests', `${guest}-${key}`)
  if (existsSync(folder)) return folder
  const [reference = ''] = await buildGuests({ names: [guest] })
  const partial = `${folder}.${process.pid}`
  await mkdir(dirname(folder), { recursive: true })
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial)
  await (await chooseEngine()).extract(reference, partial)
  await rename(partial, folder)
  return folder
}
