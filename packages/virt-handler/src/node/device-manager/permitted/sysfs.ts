import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'

/** Names in a folder of sysfs; a kernel without the subsystem has none. */
export async function entries(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).toSorted()
  } catch {
    return []
  }
}

/** An attribute's text; undefined where the kernel has none, or the device has just gone. */
export async function attribute(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch {
    return undefined
  }
}

/** The last name of where a link leads: of a driver, a group or a type. */
export async function linkName(path: string): Promise<string | undefined> {
  const target = await linkTarget(path)
  return target === undefined ? undefined : basename(target)
}

/** The name of the folder in which a link leads: a mediated device lies in its parent's. */
export async function linkParent(path: string): Promise<string | undefined> {
  const target = await linkTarget(path)
  return target === undefined ? undefined : basename(dirname(target))
}

/** Undefined for a device without one, which the kernel writes as -1. */
export async function numaNode(device: string): Promise<number | undefined> {
  const node = Number((await attribute(`${device}/numa_node`)) ?? -1)
  return node >= 0 ? node : undefined
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path)
  } catch {
    return undefined
  }
}
