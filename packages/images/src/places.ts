import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { cacheDir } from '@kubevirt-ts/dev-cluster'

/** The checkout. */
export const repository = join(import.meta.dirname, '..', '..', '..')

export const packageFolder = (name: string): string => join(repository, 'packages', name)

/** Folder of everything that this package keeps between runs. */
export const imagesCache = (...path: string[]): string => join(cacheDir(), 'images', ...path)

/** Folder of an installed npm package, found as the named workspace package finds it. */
export function installedPackage(name: string, from: string): string {
  const find = createRequire(join(from, 'package.json'))
  return dirname(find.resolve(`${name}/package.json`))
}
