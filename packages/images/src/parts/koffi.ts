import { existsSync } from 'node:fs'
import { cp, mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { filesBelow, hashOf, hashOfFiles } from '../content-hash.ts'
import { imagesCache, installedPackage, packageFolder } from '../places.ts'
import type { ContextPart } from '../recipe.ts'

// A bundle cannot hold a native module; it lies beside it, as little of it as loads on this kind of machine.
const wanted: Readonly<Record<string, (file: string) => boolean>> = {
  koffi: (file) =>
    /\/koffi\/(package\.json|[a-z]+\.js|src\/.*\.js)$/.test(file) && !/\/(test|doc|benchmark)\//.test(file),
  '@koromix/koffi-linux-x64': (file) => /\/(package\.json|index\.js|linux_x64\/koffi\.node)$/.test(file),
}

function folders(): readonly { readonly name: string; readonly folder: string }[] {
  const koffi = installedPackage('koffi', packageFolder('libvirt'))
  return [
    { name: 'koffi', folder: koffi },
    { name: '@koromix/koffi-linux-x64', folder: installedPackage('@koromix/koffi-linux-x64', koffi) },
  ]
}

const key = async (): Promise<string> => hashOf(folders().map(({ name, folder }) => hashOfFiles(folder, wanted[name])))

/** koffi as `node_modules` beside the bundle. */
export const koffi: ContextPart = {
  to: 'node_modules',
  key,
  async path() {
    const made = imagesCache('programs', `koffi-${await key()}`)
    if (existsSync(made)) return made
    const partial = `${made}.${process.pid}`
    for (const { name, folder } of folders()) {
      await mkdir(join(partial, dirname(name)), { recursive: true })
      for (const file of filesBelow(folder, wanted[name])) {
        await cp(file, join(partial, name, file.slice(folder.length + 1)), { recursive: true })
      }
    }
    await rename(partial, made)
    return made
  },
}
