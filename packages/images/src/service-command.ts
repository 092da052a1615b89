import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle } from './parts/bundle.ts'
import { packageFolder } from './places.ts'

/** Flags of Node that every service's image starts with, in the order of base/start-node.c. */
export async function nodeFlags(): Promise<string[]> {
  const source = await readFile(join(packageFolder('images'), 'base', 'start-node.c'), 'utf8')
  const list = /flags\[\] = \{([^}]*)\}/.exec(source)?.[1] ?? ''
  return [...list.matchAll(/"(--[^"]+)"/g)].map(([, flag]) => flag ?? '')
}

/** The bundle of a service that its image carries; built where its sources changed. */
export const serviceBundle = (service: string): Promise<string> => bundle(service).path()

/** Variables that a service's image sets. */
export async function serviceEnvironment(service: string): Promise<Record<string, string>> {
  const source = await readFile(join(packageFolder(service), 'Containerfile'), 'utf8')
  return Object.fromEntries(
    [...source.matchAll(/^ENV (\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
}
