import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { command } from '@kubevirt-ts/dev-cluster'
import { hashOf, hashOfFiles } from '../content-hash.ts'
import { imagesCache, packageFolder, repository } from '../places.ts'
import type { ContextPart } from '../recipe.ts'

const isSource = (file: string): boolean => file.endsWith('.ts') && !file.endsWith('.test.ts')

/** A workspace package and every workspace package that it stands on. */
export function workspaceClosure(start: string, dependenciesOf: (name: string) => readonly string[]): string[] {
  const seen = new Set<string>()
  const visit = (name: string): void => {
    if (seen.has(name)) return
    seen.add(name)
    dependenciesOf(name).forEach(visit)
  }
  visit(start)
  return [...seen].toSorted()
}

const scope = '@kubevirt-ts/'

function workspaceDependencies(name: string): string[] {
  const text = readFileSync(join(packageFolder(name), 'package.json'), 'utf8')
  const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> }
  return Object.keys(dependencies)
    .filter((dependency) => dependency.startsWith(scope))
    .map((dependency) => dependency.slice(scope.length))
}

/** Hash of all sources that can end up in a package's bundle, and of what makes the bundle. */
const sourceKey = (packageName: string): string =>
  hashOf([
    hashOfFiles(join(repository, 'pnpm-lock.yaml')),
    hashOfFiles(join(repository, 'tools', 'build.ts')),
    ...workspaceClosure(packageName, workspaceDependencies).flatMap((name) => [
      name,
      hashOfFiles(join(packageFolder(name), 'package.json')),
      hashOfFiles(join(packageFolder(name), 'src'), isSource),
    ]),
  ])

/**
 * The bundle of a service as `app/SERVICE.mjs`. Its key is the hash of the bundle, not of the sources: a change of
 * sources that leaves the bundle as it was leaves the image as it was.
 */
export function bundle(service: string, packageName: string = service): ContextPart {
  const made = async (): Promise<{ file: string; key: string }> => {
    const note = imagesCache('bundles', `${service}-${sourceKey(packageName)}`)
    if (!existsSync(note)) {
      await command([process.execPath, join('tools', 'build.ts'), service], {
        cwd: repository,
        reason: 'BundleFailed',
        remedy: `correct what the message says and try again: node tools/build.ts ${service}`,
      })
      await keep(service, note)
    }
    const key = readFileSync(note, 'utf8')
    return { key, file: imagesCache('bundles', `${service}-${key}.mjs`) }
  }
  return {
    to: join('app', `${service}.mjs`),
    key: async () => (await made()).key,
    path: async () => (await made()).file,
  }
}

/** Keeps the new bundle under its hash, and notes the hash under that of the sources. */
async function keep(service: string, note: string): Promise<void> {
  const built = join(repository, 'dist', `${service}.mjs`)
  const key = hashOfFiles(built)
  await mkdir(dirname(note), { recursive: true })
  const partial = `${note}.${process.pid}`
  await copyFile(built, partial)
  await rename(partial, imagesCache('bundles', `${service}-${key}.mjs`))
  await writeFile(partial, key)
  await rename(partial, note)
}
