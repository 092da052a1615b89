import { readFileSync } from 'node:fs'
import { parseContext } from './contexts.ts'

/** `permissive`: the host tells what it would have refused, and refuses nothing. */
export type SelinuxMode = 'absent' | 'permissive' | 'enforcing'

/** What the host's SELinux says. */
export interface Selinux {
  readonly mode: SelinuxMode
  /** The context that a process runs in; undefined without SELinux, or when the process has ended. */
  contextOf(pid: number): string | undefined
}

/**
 * Asks the host once: it does not change between two starts of it, but for the mode.
 * @param sysfs the host's /sys, as this process sees it: a container's own does not show selinuxfs
 */
export function hostSelinux(sysfs: string, proc = '/proc'): Selinux {
  const mode = modeOf(content(`${sysfs}/fs/selinux/enforce`))
  return {
    mode,
    contextOf: (pid) => (mode === 'absent' ? undefined : parseContext(content(`${proc}/${pid}/attr/current`) ?? '')),
  }
}

function modeOf(enforce: string | undefined): SelinuxMode {
  if (enforce === undefined) return 'absent'
  return enforce.trim() === '0' ? 'permissive' : 'enforcing'
}

const without: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EINVAL', 'ESRCH'])

function content(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (without.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
