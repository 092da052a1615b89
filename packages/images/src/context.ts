import { cp, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { imagesCache } from './places.ts'
import type { Recipe } from './recipe.ts'

/** Lays out the folder that a Containerfile copies from and returns its path; it stays for builds by hand. */
export async function layOutContext({ name, context }: Recipe): Promise<string> {
  const folder = imagesCache('context', name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const part of context) {
    const to = join(folder, part.to)
    await mkdir(dirname(to), { recursive: true })
    await cp(await part.path(), to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  }
  return folder
}
