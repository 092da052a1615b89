import { existsSync, readFileSync } from 'node:fs'
import { mkdir, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from './failure.ts'

const gibibyte = 1024 ** 3
export const neededMemory = 4 * gibibyte
export const neededDisk = 10 * gibibyte

/** What of this machine matters to a local cluster. */
export type Machine = {
  readonly platform: string
  readonly root: boolean
  /** Bytes. */
  readonly memory: number
  /** Bytes free where the state lies, and where the caches lie. */
  readonly disks: Readonly<Record<string, number>>
}

/**
 * Refuses a machine that cannot hold a cluster.
 * @throws Failure that names what is missing
 */
export function checkMachine({ platform, root, memory, disks }: Machine): void {
  if (platform !== 'linux-x64') {
    throw new Failure('UnsupportedPlatform', `a local cluster needs Linux on x86-64, this is ${platform}`, {
      remedy: 'use a cluster that you have: set KUBECONFIG',
    })
  }
  if (!root) {
    throw new Failure('RootNeeded', 'a local cluster needs root: it makes namespaces, cgroups and a network bridge', {
      remedy: 'run the same command with sudo, or use a cluster that you have: set KUBECONFIG',
    })
  }
  if (memory < neededMemory) {
    throw new Failure('NotEnoughMemory', `${gib(memory)} GiB of memory are free, ${gib(neededMemory)} are needed`, {
      remedy: 'end other programs, or use a larger machine',
    })
  }
  for (const [path, free] of Object.entries(disks)) {
    if (free >= neededDisk) continue
    throw new Failure('NotEnoughDisk', `${gib(free)} GiB are free at ${path}, ${gib(neededDisk)} are needed`, {
      remedy: 'make room, or move state and caches elsewhere with --state and --cache',
    })
  }
}

const gib = (bytes: number): string => (bytes / gibibyte).toFixed(1)

/** Looks at this machine. */
export async function thisMachine(folders: readonly string[]): Promise<Machine> {
  const disks: Record<string, number> = {}
  for (const folder of folders) disks[folder] = await freeDisk(folder)
  return {
    platform: `${process.platform}-${process.arch}`,
    root: process.getuid?.() === 0,
    memory: availableMemory(readFileSync('/proc/meminfo', 'utf8')),
    disks,
  }
}

/** Bytes that programs can still get, from the text of /proc/meminfo. */
export const availableMemory = (meminfo: string): number =>
  Number(/^MemAvailable:\s+(\d+) kB/m.exec(meminfo)?.[1] ?? 0) * 1024

async function freeDisk(folder: string): Promise<number> {
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  const { bavail, bsize } = await statfs(existing)
  return bavail * bsize
}

/**
 * Creates a folder that only its owner may read.
 * @throws Failure when it cannot be written
 */
export async function ensureFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new Failure('FolderNotWritable', `${path} cannot be created: ${(cause as Error).message}`, {
      remedy: 'choose another place with --state or --cache',
      cause,
    })
  }
}
