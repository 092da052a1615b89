import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { waitUntil } from './wait.ts'

/** A mounted cgroup tree. */
export type Hierarchy = { readonly root: string; readonly version: 1 | 2 }

/** What all clusters weigh together in v1's tree: as much as eight processes. */
const clusterShares = 8 * 1024

/** The cgroup trees that the text of /proc/mounts names. */
export function parseHierarchies(mounts: string): Hierarchy[] {
  return mounts.split('\n').flatMap((line): Hierarchy[] => {
    const [, root = '', type] = line.split(' ')
    if (type === 'cgroup') return [{ root, version: 1 }]
    return type === 'cgroup2' ? [{ root, version: 2 }] : []
  })
}

const hierarchies = (): Hierarchy[] => parseHierarchies(readFileSync('/proc/mounts', 'utf8'))

/** Creates a cgroup (`kubevirt-ts/demo/host`) in every tree, ready to take processes. */
export function createCgroup(path: string): void {
  for (const { root, version } of hierarchies()) {
    let parent = root
    for (const part of path.split('/')) {
      if (version === 2) delegateControllers(parent)
      const child = join(parent, part)
      mkdirSync(child, { recursive: true })
      if (version === 1) inheritCpuset(child)
      if (version === 1 && parent === root) weighMany(child)
      parent = child
    }
  }
}

// In v1's tree a group stands beside the single processes of its parent and weighs as much as one of them: all clusters
// together would get what one process gets, and on a busy machine leases run out and guests crawl.
function weighMany(group: string): void {
  const file = join(group, 'cpu.shares')
  if (existsSync(file)) writeFileSync(file, String(clusterShares))
}

// A new v1 cpuset group is empty and takes no process until it names processors and memory nodes.
function inheritCpuset(group: string): void {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    const own = join(group, file)
    if (!existsSync(own) || readFileSync(own, 'utf8').trim()) continue
    writeFileSync(own, readFileSync(join(dirname(group), file), 'utf8'))
  }
}

function delegateControllers(group: string): void {
  const controllers = readFileSync(join(group, 'cgroup.controllers'), 'utf8').trim().split(' ').filter(Boolean)
  for (const controller of controllers) {
    try {
      writeFileSync(join(group, 'cgroup.subtree_control'), `+${controller}`)
    } catch {
      // A controller that cannot be delegated here is missing in the cluster, too; the kubelet reports what it needs.
    }
  }
}

/** Moves a process into a cgroup in every tree. */
export function joinCgroup(path: string, pid: number): void {
  for (const { root } of hierarchies()) {
    try {
      writeFileSync(join(root, path, 'cgroup.procs'), String(pid))
    } catch {
      // It ended already: whoever waits for it will say so.
    }
  }
}

/** Every process in a cgroup and below it. */
export function processesIn(path: string): number[] {
  const pids = hierarchies().flatMap(({ root }) =>
    groupsBelow(join(root, path)).flatMap((group) => readMembers(group).split('\n').filter(Boolean).map(Number)),
  )
  // 0 stands for a process outside of this PID namespace.
  return [...new Set(pids)].filter((pid) => pid > 0)
}

function readMembers(group: string): string {
  try {
    return readFileSync(join(group, 'cgroup.procs'), 'utf8')
  } catch {
    // The group has gone meanwhile, and with it its processes.
    return ''
  }
}

/**
 * Ends every process in a cgroup and removes it with all below it.
 * @returns whether all is gone
 */
export async function removeCgroup(path: string): Promise<boolean> {
  return waitUntil(
    () => {
      for (const pid of processesIn(path)) endProcess(pid)
      return hierarchies().every(({ root }) => removeGroups(join(root, path)))
    },
    { timeout: 60_000, every: 50 },
  )
}

/** Removes a cgroup in every tree where nothing is in it. */
export function removeEmptyCgroup(path: string): void {
  for (const { root } of hierarchies()) {
    try {
      rmdirSync(join(root, path))
    } catch {
      // Another cluster is in it.
    }
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

function removeGroups(top: string): boolean {
  for (const group of groupsBelow(top).toReversed()) {
    try {
      rmdirSync(group)
    } catch {
      return false
    }
  }
  return true
}

/** A group and all below it, parents first. */
function groupsBelow(group: string): string[] {
  if (!existsSync(group)) return []
  const children = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return [group, ...children.flatMap((entry) => groupsBelow(join(group, entry.name)))]
}
