import { Framework, type EnabledPlugin } from '../framework/framework.ts'
import { limiting, type Guard } from '../framework/guard.ts'
import { extensionPoints, implementsPoint, type ExtensionPoint, type Plugin } from '../framework/plugin.ts'
import type { PluginFactory, PluginServices } from '../framework/registry.ts'
import type { Profile, SchedulerConfiguration } from './configuration.ts'
import { ConfigurationError } from './field.ts'
import { expandPoint, type PluginEntry } from './plugin-sets.ts'

/** A plugin that profiles may name, and whether it is ours. */
export interface KnownPlugin {
  readonly factory: PluginFactory
  readonly isExternal: boolean
}

export interface BuildOptions {
  readonly configuration: SchedulerConfiguration
  readonly plugins: ReadonlyMap<string, KnownPlugin>
  readonly services: Omit<PluginServices, 'framework'>
  /** For plugins that are not ours. */
  readonly pluginTimeoutMs: number
  readonly onPoint?: (profile: string, point: string, seconds: number, code: string) => void
}

/** Makes each profile's plugins and puts them in order. Throws a ConfigurationError for what cannot work together. */
export function buildFrameworks(options: BuildOptions): ReadonlyMap<string, Framework> {
  const frameworks = new Map(
    options.configuration.profiles.map((profile) => [profile.schedulerName, buildFramework(profile, options)]),
  )
  checkQueueSort([...frameworks.values()])
  return frameworks
}

function buildFramework(profile: Profile, options: BuildOptions): Framework {
  const { services, onPoint } = options
  const late: { framework?: Framework } = {}
  const made = makePlugins(profile, options, { ...services, framework: () => late.framework! })
  const doesImplement = (name: string, point: ExtensionPoint) => {
    const plugin = made.get(name)
    return plugin !== undefined && implementsPoint(plugin, point)
  }
  const guard = limiting(options.pluginTimeoutMs)
  const enabledAt = (point: ExtensionPoint) =>
    expandPoint(point, profile.plugins, doesImplement).map((entry) =>
      enabled(entry, made.get(entry.name)!, profile, options.plugins.get(entry.name)!.isExternal ? guard : undefined),
    )
  const plugins = Object.fromEntries(extensionPoints.map((point) => [point, enabledAt(point)])) as unknown as Record<
    ExtensionPoint,
    EnabledPlugin[]
  >
  if (plugins.bind.length === 0) throw mistake(profile, 'has no plugin that binds; enable DefaultBinder')
  if (plugins.queueSort.length !== 1) {
    throw mistake(profile, `needs exactly one queueSort plugin, it has ${plugins.queueSort.length}`)
  }
  late.framework = new Framework({
    schedulerName: profile.schedulerName,
    plugins,
    waitingPods: services.waitingPods,
    ...(profile.percentageOfNodesToScore === undefined
      ? {}
      : { percentageOfNodesToScore: profile.percentageOfNodesToScore }),
    ...(onPoint === undefined
      ? {}
      : { onPoint: (point, seconds, code) => onPoint(profile.schedulerName, point, seconds, code) }),
  })
  return late.framework
}

/** A weight counts where it stands: at the point, else at multiPoint. */
function enabled(entry: PluginEntry, plugin: Plugin, { plugins }: Profile, guard: Guard | undefined): EnabledPlugin {
  const inherited = plugins.multiPoint.enabled.find(({ name }) => name === entry.name)
  return {
    plugin,
    weight: entry.weight ?? inherited?.weight ?? 1,
    ...(guard === undefined ? {} : { guard }),
  }
}

function makePlugins(profile: Profile, { plugins }: BuildOptions, services: PluginServices): Map<string, Plugin> {
  for (const [name, field] of profile.pluginConfig) {
    if (!plugins.has(name)) throw field.error(`there is no plugin ${name} to configure`)
  }
  const names = new Set(Object.values(profile.plugins).flatMap((set) => set.enabled.map(({ name }) => name)))
  return new Map([...names].map((name) => [name, makePlugin(name, profile, plugins.get(name)!, services)]))
}

/** Whatever a plugin from outside throws while it is made is a mistake of the configuration that asks for it. */
function makePlugin(name: string, profile: Profile, { factory, isExternal }: KnownPlugin, services: PluginServices) {
  try {
    return factory.create(profile.pluginConfig.get(name), services)
  } catch (error) {
    if (!isExternal || error instanceof ConfigurationError) throw error
    throw mistake(profile, `plugin ${name} cannot be made: ${(error as Error).message}`)
  }
}

/** All pods wait in one queue, so the profiles must agree on its order. */
function checkQueueSort([first, ...others]: readonly Framework[]): void {
  const sorterOf = (framework: Framework) => framework.at('queueSort')[0]!.plugin.name
  const other = others.find((framework) => sorterOf(framework) !== sorterOf(first!))
  if (other === undefined) return
  throw new ConfigurationError(
    `profile ${other.schedulerName}`,
    'plugins.queueSort',
    `${sorterOf(other)} differs from ${sorterOf(first!)} of profile ${first!.schedulerName}; all profiles need the same`,
  )
}

function mistake({ schedulerName }: Profile, problem: string): ConfigurationError {
  return new ConfigurationError(`profile ${schedulerName}`, 'plugins', problem)
}
