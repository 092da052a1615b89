import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { Failure, command } from '@kubevirt-ts/dev-cluster'
import { hashOf, hashOfFiles } from '../content-hash.ts'
import { ensureTools } from '../tools.ts'
import { imagesCache, repository } from '../places.ts'
import type { ContextPart } from '../recipe.ts'

const kinds = {
  /** Runs in images that hold nothing beside it. */
  static: ['-static', '-O2', '-s', '-Wall'],
  /** What a 32-bit x86 processor executes where no system runs and knows no file formats, at 0x8000. */
  boot: (
    '-m32 -march=i386 -ffreestanding -nostdlib -static -fno-pic -no-pie -Os -Wall -fno-stack-protector ' +
    '-fcf-protection=none -fno-asynchronous-unwind-tables -fno-toplevel-reorder ' +
    '-Wl,-N,-Ttext,0x8000,-e,0x8000,--oformat,binary,--build-id=none'
  ).split(' '),
}

export type CProgram = {
  readonly name: string
  /** Its only source file. */
  readonly source: string
  readonly kind?: keyof typeof kinds
  readonly defines?: Readonly<Record<string, string>>
}

/** The program, compiled into `bin/` of the context. @throws Failure that names a missing source */
export function cProgram({ name, source, kind = 'static', defines = {} }: CProgram): ContextPart {
  const flags = kinds[kind]
  const macros = Object.entries(defines).map(([macro, value]) => `-D${macro}="${value}"`)
  const key = async (): Promise<string> => {
    if (existsSync(source)) return hashOf([hashOfFiles(source), ...flags, ...macros])
    throw new Failure('SourceMissing', `${relative(repository, source)} is missing, so ${name} cannot be compiled`, {
      remedy: 'restore the file, or build only images that do not hold this program',
    })
  }
  const path = async (): Promise<string> => {
    const program = imagesCache('programs', `${name}-${await key()}`)
    if (existsSync(program)) return program
    await ensureTools('gcc', 'libc')
    await mkdir(dirname(program), { recursive: true })
    const partial = `${program}.${process.pid}`
    await command(['gcc', ...flags, ...macros, '-o', partial, source], {
      reason: 'CompileFailed',
      remedy: `correct ${relative(repository, source)}`,
    })
    await rename(partial, program)
    return program
  }
  return { to: join('bin', name), key, path }
}
