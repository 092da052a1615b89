import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PluginFactory } from '../framework/registry.ts'
import type { KnownPlugin } from './build-frameworks.ts'
import { ConfigurationError } from './field.ts'

/** Our plugins and those of the given files, by name. Throws a ConfigurationError that names the file. */
export async function loadPlugins(
  own: readonly PluginFactory[],
  files: readonly string[],
): Promise<ReadonlyMap<string, KnownPlugin>> {
  const known = new Map<string, KnownPlugin>(own.map((factory) => [factory.name, { factory, isExternal: false }]))
  for (const file of files) {
    for (const factory of await factoriesOf(file)) {
      if (known.has(factory.name))
        throw new ConfigurationError(file, factory.name, 'a plugin of this name exists already')
      known.set(factory.name, { factory, isExternal: true })
    }
  }
  return known
}

async function factoriesOf(file: string): Promise<PluginFactory[]> {
  let module: { readonly default?: unknown }
  try {
    module = (await import(pathToFileURL(resolve(file)).href)) as typeof module
  } catch (error) {
    throw new ConfigurationError(file, '', `the plugin cannot be loaded: ${(error as Error).message}`)
  }
  const exported = Array.isArray(module.default) ? (module.default as unknown[]) : [module.default]
  return exported.map((each) => {
    if (isFactory(each)) return each
    throw new ConfigurationError(
      file,
      'default',
      'must be a plugin factory, { name, create(args, services) }, or a list of them',
    )
  })
}

function isFactory(value: unknown): value is PluginFactory {
  const { name, create } = (value ?? {}) as Partial<PluginFactory>
  return typeof name === 'string' && name !== '' && typeof create === 'function'
}
