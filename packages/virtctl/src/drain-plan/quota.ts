import { formatQuantity, parseMilli } from '@kubevirt-ts/api'
import type { Pod, ResourceQuota } from '@kubevirt-ts/api'
import { podRequests } from '@kubevirt-ts/scheduling'
import type { Resources } from '@kubevirt-ts/scheduling'

/** A quota of the namespace that has no room for one more pod. */
export interface Exceeded {
  readonly quota: string
  /** For people: which resource, how much is asked for, used and allowed. */
  readonly message: string
}

/** While a guest moves it has two pods: the quotas that refuse the second one. */
export function exceededBy(pod: Pod, quotas: readonly ResourceQuota[]): Exceeded[] {
  const wanted = usageOf(pod)
  return quotas
    .filter(({ metadata }) => metadata.namespace === pod.metadata.namespace)
    .filter(({ spec }) => (spec?.scopes ?? []).every((scope) => ofLaunchers.has(scope)))
    .flatMap(({ metadata, spec, status }) =>
      Object.entries(status?.hard ?? spec?.hard ?? {}).flatMap(([resource, hard]) => {
        const asked = wanted[resource]
        const used = parseMilli(status?.used?.[resource] ?? 0)
        if (asked === undefined || asked === 0n || used + asked <= parseMilli(hard)) return []
        const amounts = `${shown(asked)} is needed, ${status?.used?.[resource] ?? 0} of ${hard} is used`
        return [{ quota: metadata.name, message: `quota ${metadata.name}, ${resource}: ${amounts}` }]
      }),
    )
}

/** Scopes that a launcher pod is within: it has no deadline and asks for resources. */
const ofLaunchers: ReadonlySet<string> = new Set(['NotTerminating', 'NotBestEffort'])

/** What quotas count of a pod, in thousandths, under their names. */
function usageOf(pod: Pod): Readonly<Record<string, bigint>> {
  const requests = podRequests(pod)
  const limits = podRequests(withLimitsAsRequests(pod))
  return {
    pods: 1000n,
    'count/pods': 1000n,
    cpu: BigInt(requests.milliCpu),
    memory: milli(requests.memory),
    ...named('requests', requests),
    ...named('limits', limits),
  }
}

function named(kind: string, { milliCpu, memory, ephemeralStorage, scalars }: Resources): Record<string, bigint> {
  return {
    [`${kind}.cpu`]: BigInt(milliCpu),
    [`${kind}.memory`]: milli(memory),
    [`${kind}.ephemeral-storage`]: milli(ephemeralStorage),
    ...Object.fromEntries([...scalars].map(([name, amount]) => [`${kind}.${name}`, milli(amount)])),
  }
}

/** Limits are summed up over containers by the same rule as requests. */
function withLimitsAsRequests(pod: Pod): Pod {
  const swapped = (containers: Pod['spec']['containers']) =>
    containers.map((each) => ({ ...each, resources: { requests: { ...each.resources?.limits } } }))
  const { containers, initContainers, overhead: _overhead, ...spec } = pod.spec
  return {
    ...pod,
    spec: {
      ...spec,
      containers: swapped(containers),
      ...(initContainers === undefined ? {} : { initContainers: swapped(initContainers) }),
    },
  }
}

const milli = (amount: number): bigint => BigInt(amount) * 1000n

function shown(amount: bigint): string {
  return amount % 1000n === 0n ? formatQuantity(amount / 1000n) : `${amount}m`
}
