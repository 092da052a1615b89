import { defaultPlugins } from './default-plugins.ts'
import { Field } from './field.ts'
import { mergePluginSets, readPluginSets, type PluginSets } from './plugin-sets.ts'
import { readExtenders, type ExtenderConfiguration } from './extenders.ts'

export interface LeaderElectionConfiguration {
  readonly leaderElect: boolean
  readonly leaseDurationMs: number
  readonly renewDeadlineMs: number
  readonly retryPeriodMs: number
  readonly resourceNamespace: string
  readonly resourceName: string
}

export interface ClientConnection {
  readonly kubeconfig?: string
  readonly qps: number
  readonly burst: number
}

export interface Profile {
  readonly schedulerName: string
  readonly percentageOfNodesToScore?: number
  readonly plugins: PluginSets
  /** Arguments by plugin name, not yet understood. */
  readonly pluginConfig: ReadonlyMap<string, Field>
}

export interface SchedulerConfiguration {
  readonly profiles: readonly Profile[]
  readonly leaderElection: LeaderElectionConfiguration
  readonly clientConnection: ClientConnection
  readonly percentageOfNodesToScore: number
  readonly podInitialBackoffSeconds: number
  readonly podMaxBackoffSeconds: number
  readonly extenders: readonly ExtenderConfiguration[]
  /** What is accepted but hardly meant. */
  readonly warnings: readonly string[]
}

const apiVersion = 'kubescheduler.config.k8s.io/v1'

const topFields = [
  'apiVersion',
  'kind',
  'parallelism',
  'leaderElection',
  'clientConnection',
  'enableProfiling',
  'enableContentionProfiling',
  'percentageOfNodesToScore',
  'podInitialBackoffSeconds',
  'podMaxBackoffSeconds',
  'profiles',
  'extenders',
  'delayCacheUntilActive',
] as const

/** The name under which pods ask for this scheduler unless a configuration says otherwise. */
export const defaultSchedulerName = 'stickyvm'

/**
 * Reads a KubeSchedulerConfiguration as kube-scheduler does, with its defaults. Throws a ConfigurationError with file,
 * line and field. `knownPlugins` are the names that may be enabled.
 */
export function readConfiguration(file: string, text: string, knownPlugins: readonly string[]): SchedulerConfiguration {
  const root = Field.parse(file, text)
  if (root.isEmpty) throw root.error('is empty; it needs apiVersion, kind and profiles')
  checkVersion(root)
  const fields = root.fields(...topFields)
  fields.parallelism?.integer({ minimum: 1 })
  const initial = fields.podInitialBackoffSeconds?.integer({ minimum: 1 }) ?? 1
  const maximum = fields.podMaxBackoffSeconds?.integer({ minimum: 1 }) ?? 10
  if (maximum < initial) {
    throw (fields.podMaxBackoffSeconds ?? fields.podInitialBackoffSeconds)!.error(
      `the longest back-off (${maximum} s) is shorter than the first (${initial} s)`,
    )
  }
  const profiles = readProfiles(fields.profiles, root, knownPlugins)
  return {
    profiles,
    leaderElection: readLeaderElection(fields.leaderElection),
    clientConnection: readClientConnection(fields.clientConnection),
    percentageOfNodesToScore: fields.percentageOfNodesToScore?.integer({ minimum: 0, maximum: 100 }) ?? 0,
    podInitialBackoffSeconds: initial,
    podMaxBackoffSeconds: maximum,
    extenders: readExtenders(fields.extenders),
    warnings: profiles.flatMap((profile) => warningsOf(profile, knownPlugins)),
  }
}

/** What holds without a file: one profile that sticks VMs to their homes. */
export function defaultConfiguration(knownPlugins: readonly string[]): SchedulerConfiguration {
  const text = `apiVersion: ${apiVersion}
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: ${defaultSchedulerName}
  plugins:
    multiPoint:
      enabled:
      - name: StickyVM
        weight: 100
`
  return readConfiguration('built-in configuration', text, knownPlugins)
}

function checkVersion(root: Field): void {
  const entries = new Map(root.entries())
  const version = entries.get('apiVersion')
  const kind = entries.get('kind')
  if (version === undefined) throw root.error(`needs apiVersion: ${apiVersion}`)
  if (version.string() !== apiVersion) {
    throw version.error(`"${version.string()}" is unknown; write ${apiVersion}`)
  }
  if (kind === undefined) throw root.error('needs kind: KubeSchedulerConfiguration')
  if (kind.string() !== 'KubeSchedulerConfiguration') {
    throw kind.error(`"${kind.string()}" is unknown; write KubeSchedulerConfiguration`)
  }
}

function readProfiles(field: Field | undefined, root: Field, knownPlugins: readonly string[]): Profile[] {
  const items = field?.items() ?? []
  if (items.length === 0) throw (field ?? root).error('needs at least one profile')
  const profiles = items.map((item) => readProfile(item, items.length, knownPlugins))
  const seen = new Set<string>()
  profiles.forEach(({ schedulerName }, index) => {
    if (seen.has(schedulerName)) throw items[index]!.error(`a second profile is called ${schedulerName}`)
    seen.add(schedulerName)
  })
  return profiles
}

function readProfile(field: Field, count: number, knownPlugins: readonly string[]): Profile {
  const { schedulerName, percentageOfNodesToScore, plugins, pluginConfig } = field.fields(
    'schedulerName',
    'percentageOfNodesToScore',
    'plugins',
    'pluginConfig',
  )
  const name = schedulerName?.string() ?? (count === 1 ? 'default-scheduler' : '')
  if (name === '') throw (schedulerName ?? field).error('needs a schedulerName')
  const known = knownPlugins.toSorted().join(', ')
  const own = readPluginSets(plugins, (plugin) => knownPlugins.includes(plugin), known)
  return {
    schedulerName: name,
    plugins: { ...own, multiPoint: mergePluginSets(defaultPlugins, own.multiPoint) },
    pluginConfig: readPluginConfig(pluginConfig),
    ...(percentageOfNodesToScore === undefined
      ? {}
      : { percentageOfNodesToScore: percentageOfNodesToScore.integer({ minimum: 0, maximum: 100 }) }),
  }
}

function readPluginConfig(field: Field | undefined): Map<string, Field> {
  const config = new Map<string, Field>()
  for (const item of field?.items() ?? []) {
    const { name, args } = item.fields('name', 'args')
    if (name === undefined) throw item.error('needs the name of a plugin')
    if (config.has(name.string())) throw name.error(`plugin ${name.string()} is configured twice`)
    if (args !== undefined) config.set(name.string(), args)
  }
  return config
}

function warningsOf({ plugins, schedulerName }: Profile, knownPlugins: readonly string[]): string[] {
  const warnings: string[] = []
  for (const [point, { disabled }] of Object.entries(plugins)) {
    for (const { name, field } of disabled) {
      if (name === '*' || knownPlugins.includes(name)) continue
      warnings.push(
        `${field?.place}: ${field?.path}: there is no plugin ${name}, so disabling it at ${point} does nothing`,
      )
    }
  }
  const isOff = (point: 'reserve' | 'preBind') =>
    plugins[point].disabled.some(({ name }) => ['*', 'VolumeBinding'].includes(name))
  const isOn = (point: 'reserve' | 'preBind') => plugins[point].enabled.some(({ name }) => name === 'VolumeBinding')
  for (const point of ['reserve', 'preBind'] as const) {
    if (!isOff(point) || isOn(point)) continue
    const place = plugins[point].disabled[0]?.field?.place
    warnings.push(
      `${place}: profile ${schedulerName} disables VolumeBinding at ${point}: volumes whose class waits for the first ` +
        'consumer never bind, and their pods wait for ever; enable VolumeBinding there if you use such volumes',
    )
  }
  return warnings
}

function readLeaderElection(field: Field | undefined): LeaderElectionConfiguration {
  const given = field?.fields(
    'leaderElect',
    'leaseDuration',
    'renewDeadline',
    'retryPeriod',
    'resourceLock',
    'resourceName',
    'resourceNamespace',
  )
  const leaseDurationMs = given?.leaseDuration?.duration() ?? 15_000
  const renewDeadlineMs = given?.renewDeadline?.duration() ?? 10_000
  const retryPeriodMs = given?.retryPeriod?.duration() ?? 2_000
  if (renewDeadlineMs >= leaseDurationMs) {
    throw field!.error('the renewDeadline must be shorter than the leaseDuration')
  }
  given?.resourceLock?.oneOf('leases')
  return {
    leaderElect: given?.leaderElect?.boolean() ?? true,
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
    // Not kube-scheduler's own name: beside it in one cluster, the two would take each other for replicas.
    resourceName: given?.resourceName?.string() ?? 'stickyvm-scheduler',
    resourceNamespace: given?.resourceNamespace?.string() ?? 'kube-system',
  }
}

function readClientConnection(field: Field | undefined): ClientConnection {
  const given = field?.fields('kubeconfig', 'acceptContentTypes', 'contentType', 'qps', 'burst')
  const kubeconfig = given?.kubeconfig?.string()
  return {
    qps: given?.qps?.number() || 50,
    burst: given?.burst?.integer({ minimum: 0 }) || 100,
    ...(kubeconfig ? { kubeconfig } : {}),
  }
}
