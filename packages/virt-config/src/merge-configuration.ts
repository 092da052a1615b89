import { compareQuantity, defaultConfiguration, type KubeVirtConfiguration } from '@kubevirt-ts/api'
import { InvalidConfiguration } from './invalid-configuration.ts'

/**
 * A KubeVirt resource's `spec.configuration` over the defaults: objects are merged field by field, lists and plain
 * values replace. Throws `InvalidConfiguration`, which names the field.
 */
export function mergeConfiguration(configuration: KubeVirtConfiguration | undefined): KubeVirtConfiguration {
  const merged = merge(defaultConfiguration, configuration ?? {}) as KubeVirtConfiguration
  for (const check of checks) check(merged)
  return merged
}

function merge(base: unknown, over: unknown): unknown {
  // As in Go, null says nothing and leaves the default.
  if (over === undefined || over === null) return copy(base)
  if (!isRecord(over)) return copy(over)
  const under = isRecord(base) ? base : {}
  const keys = new Set([...Object.keys(under), ...Object.keys(over)])
  return Object.fromEntries([...keys].map((key) => [key, merge(under[key], over[key])]))
}

/** Nobody who changes a merged configuration may change the defaults or the resource. */
function copy(value: unknown): unknown {
  return typeof value === 'object' ? structuredClone(value) : value
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Check = (configuration: KubeVirtConfiguration) => void

const checks: readonly Check[] = [developer, quantities, pullPolicy, rateLimits, liveUpdate]

function developer({ developerConfiguration = {} }: KubeVirtConfiguration): void {
  const at = 'spec.configuration.developerConfiguration'
  const { cpuAllocationRatio, memoryOvercommit, pvcTolerateLessSpaceUpToPercent } = developerConfiguration
  mustBe(`${at}.cpuAllocationRatio`, cpuAllocationRatio, (ratio) => ratio > 0, 'greater than 0')
  mustBe(`${at}.memoryOvercommit`, memoryOvercommit, (percent) => percent > 0, 'greater than 0')
  const isPercent = (percent: number) => percent >= 0 && percent <= 100
  mustBe(`${at}.pvcTolerateLessSpaceUpToPercent`, pvcTolerateLessSpaceUpToPercent, isPercent, 'between 0 and 100')
}

function quantities({ cpuRequest, developerConfiguration, migrations }: KubeVirtConfiguration): void {
  const values = {
    cpuRequest,
    'developerConfiguration.diskVerification.memoryLimit': developerConfiguration?.diskVerification?.memoryLimit,
    'migrations.bandwidthPerMigration': migrations?.bandwidthPerMigration,
  }
  for (const [field, quantity] of Object.entries(values)) {
    mustBe(`spec.configuration.${field}`, quantity, isQuantity, 'a quantity that is not negative, such as 64Mi')
  }
}

function isQuantity(quantity: string | number): boolean {
  try {
    return compareQuantity(quantity, 0) >= 0
  } catch {
    return false
  }
}

function pullPolicy({ imagePullPolicy }: KubeVirtConfiguration): void {
  const policies = ['Always', 'IfNotPresent', 'Never']
  const isKnown = (policy: string) => policies.includes(policy)
  mustBe('spec.configuration.imagePullPolicy', imagePullPolicy, isKnown, `one of ${policies.join(', ')}`)
}

const clients = ['apiConfiguration', 'controllerConfiguration', 'handlerConfiguration', 'webhookConfiguration'] as const

function rateLimits(configuration: KubeVirtConfiguration): void {
  for (const client of clients) {
    const at = `spec.configuration.${client}.restClient.rateLimiter.tokenBucketRateLimiter`
    const { qps, burst } = configuration[client]?.restClient?.rateLimiter?.tokenBucketRateLimiter ?? {}
    mustBe(`${at}.qps`, qps, (rate) => rate > 0, 'greater than 0')
    mustBe(`${at}.burst`, burst, (size) => size > 0, 'greater than 0')
  }
}

function liveUpdate({ liveUpdateConfiguration }: KubeVirtConfiguration): void {
  const ratio = liveUpdateConfiguration?.maxHotplugRatio
  mustBe('spec.configuration.liveUpdateConfiguration.maxHotplugRatio', ratio, (value) => value >= 1, 'at least 1')
}

function mustBe<V>(field: string, value: V | undefined, isValid: (value: V) => boolean, expected: string): void {
  if (value === undefined || isValid(value)) return
  throw new InvalidConfiguration(field, `must be ${expected}, but is ${JSON.stringify(value)}`)
}
