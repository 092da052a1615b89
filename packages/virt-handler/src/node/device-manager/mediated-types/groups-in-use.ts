import { readdir, readlink } from 'node:fs/promises'

const group = /^\/dev\/vfio\/(\d+)$/

/** IOMMU groups that a process of the host has open; to take a device away from it would hang until it ends. */
export async function groupsInUse(proc = '/proc'): Promise<Set<string>> {
  const pids = (await readdir(proc)).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(pids.map((pid) => openGroups(`${proc}/${pid}/fd`)))
  return new Set(found.flat())
}

async function openGroups(folder: string): Promise<string[]> {
  try {
    const targets = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')))
    return targets.flatMap((target) => group.exec(target)?.[1] ?? [])
  } catch {
    // The process has ended.
    return []
  }
}
