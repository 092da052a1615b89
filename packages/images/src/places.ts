import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure, cacheDir } from '@kubevirt-ts/dev-cluster'

/** The checkout. */
export const repository = join(import.meta.dirname, '..', '..', '..')

export const packageFolder = (name: string): string => join(repository, 'packages', name)

/** Folder of everything that this package keeps between runs. */
export const imagesCache = (...path: string[]): string => join(cacheDir(), 'images', ...path)

/** Folder of an installed npm package, found as a package in the folder `from` finds it. @throws Failure */
export function installedPackage(name: string, from: string): string {
  for (let folder = realpathSync(from); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(candidate)) return realpathSync(candidate)
    if (folder === dirname(folder)) break
  }
  throw new Failure('PackageMissing', `the npm package ${name} is not installed`, { remedy: 'run: npm run bootstrap' })
}
