import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A helper as the image has it, in a folder that disposing of it removes. Needs gcc.
 * @param definitions what a test has otherwise, as the compiler's flags
 */
export function buildProgram(
  name: 'virt-chroot' | 'virt-devices',
  ...definitions: string[]
): { program: string; folder: string; [Symbol.dispose](): void } {
  const source = new URL(`../mount/${name}.c`, import.meta.url).pathname
  const folder = mkdtempSync(join(tmpdir(), `${name}-programs-`))
  const program = join(folder, name)
  execFileSync('gcc', ['-static', '-O2', '-Wall', '-Wextra', '-Werror', ...definitions, '-o', program, source])
  return { program, folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}
