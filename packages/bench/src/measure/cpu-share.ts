import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = '/sys/fs/cgroup'

/**
 * Puts a process where another one gets its processor time from: what a container's process does is slower on a busy
 * machine than the same outside of it, which is not the process's doing.
 */
export async function shareCpu(pid: number, withPid: number): Promise<void> {
  const lines = (await readFile(`/proc/${withPid}/cgroup`, 'utf8')).trim().split('\n')
  const groups = lines
    .map((line) => line.split(':'))
    .filter(([, controllers = '']) => hasCpu(controllers, lines.length))
  for (const [, controllers = '', ...path] of groups)
    await writeFile(join(root, controllers, path.join(':'), 'cgroup.procs'), String(pid))
}

/** Version 1 has a tree for each set of controllers, version 2 one tree without a name. */
const hasCpu = (controllers: string, trees: number): boolean =>
  trees === 1 ? controllers === '' : controllers.split(',').includes('cpu')
