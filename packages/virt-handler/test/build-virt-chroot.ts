import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The helper as the image has it, in a folder that disposing of it removes. Needs gcc. */
export function buildVirtChroot(): { program: string; folder: string; [Symbol.dispose](): void } {
  const source = new URL('../mount/virt-chroot.c', import.meta.url).pathname
  const folder = mkdtempSync(join(tmpdir(), 'virt-chroot-programs-'))
  const program = join(folder, 'virt-chroot')
  execFileSync('gcc', ['-static', '-O2', '-Wall', '-Wextra', '-Werror', '-o', program, source])
  return { program, folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}
