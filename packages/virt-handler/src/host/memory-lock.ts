import { raiseMemoryLockLimit, SystemCallError } from '@kubevirt-ts/linux'
import { readdirSync } from 'node:fs'
import { parentOf } from './isolation/process.ts'

/**
 * Lets a process and all that it has started and will start lock so much memory. Where this host allows nobody more
 * (no CAP_SYS_RESOURCE), they keep what they have: QEMU tells what it could not lock.
 */
export function allowLockedMemory(pid: number, bytes: bigint): void {
  for (const each of [pid, ...descendants(pid)]) {
    try {
      raiseMemoryLockLimit(each, bytes)
    } catch (error) {
      const isExpected = error instanceof SystemCallError && ['ESRCH', 'EPERM'].includes(error.code)
      if (!isExpected) throw error
    }
  }
}

function descendants(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const parent = parentOf(Number(name))
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const below = (of: number): number[] => (children.get(of) ?? []).flatMap((child) => [child, ...below(child)])
  return below(pid)
}
