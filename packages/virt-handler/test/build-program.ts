import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

interface BuiltProgram {
  readonly program: string
  readonly folder: string
  [Symbol.dispose](): void
}

/**
 * A helper as the image has it, in a folder that disposing of it removes. Needs gcc.
 * @param definitions what a test has otherwise, as the compiler's flags
 */
export const buildProgram = (
  name: 'virt-chroot' | 'virt-devices' | 'virt-vsock',
  ...definitions: string[]
): BuiltProgram => build(new URL(`../mount/${name}.c`, import.meta.url).pathname, definitions)

/** virt-vsock, but for its guest: that is a process that listens on a unix socket. Called with the socket's path. */
export const buildVsockCopier = (): BuiltProgram => build(new URL('virt-vsock-copier.c', import.meta.url).pathname, [])

function build(source: string, definitions: readonly string[]): BuiltProgram {
  const name = basename(source, '.c')
  const folder = mkdtempSync(join(tmpdir(), `${name}-programs-`))
  const program = join(folder, name)
  execFileSync('gcc', ['-static', '-O2', '-Wall', '-Wextra', '-Werror', ...definitions, '-o', program, source])
  return { program, folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}
