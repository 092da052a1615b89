import type { Container, Pod, Quantity } from '@kubevirt-ts/api'
import type { ResourceAmounts, SchedulingPodSpec } from './pod.ts'
import { add, noResources, raiseTo, resourcesOf, type Resources } from './resources.ts'

/** What a container that asks for nothing is taken to use when nodes are compared: 0.1 CPU and 200 MiB. */
const assumed = { milliCpu: 100, memory: 200 * 1024 * 1024 }

interface ResizedStatus {
  readonly name: string
  readonly resources?: ResourceAmounts
  readonly allocatedResources?: Readonly<Record<string, Quantity>>
}

/**
 * What the pod takes of a node: the sum of its containers and sidecars, or the largest init container if that is more,
 * or what the pod asks for as a whole; plus overhead. A container being resized counts with its largest amount.
 * With `assumeMissing`, containers that name no CPU or memory count with the scheduler's assumption.
 */
export function podRequests(pod: Pod, { assumeMissing = false } = {}): Resources {
  const total = containerRequests(pod, assumeMissing)
  replaceByPodLevel(total, (pod.spec as SchedulingPodSpec).resources?.requests)
  if (pod.spec.overhead) add(total, resourcesOf(pod.spec.overhead))
  return total
}

function containerRequests(pod: Pod, assumeMissing: boolean): Resources {
  const statuses = statusesByName(pod)
  const requestsOf = (container: Container, canResize: boolean) =>
    requestsOfContainer(pod, container, canResize ? statuses.get(container.name) : undefined, assumeMissing)
  const total = noResources()
  for (const container of pod.spec.containers ?? []) add(total, requestsOf(container, true))
  const sidecars = noResources()
  const initPeak = noResources()
  for (const container of pod.spec.initContainers ?? []) {
    const isSidecar = container.restartPolicy === 'Always'
    const requests = requestsOf(container, isSidecar)
    if (isSidecar) {
      add(total, requests)
      add(sidecars, requests)
      raiseTo(initPeak, sidecars)
    } else {
      add(requests, sidecars)
      raiseTo(initPeak, requests)
    }
  }
  raiseTo(total, initPeak)
  return total
}

function statusesByName({ status }: Pod): Map<string, ResizedStatus> {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]
  return new Map(all.map((each) => [each.name, each as ResizedStatus]))
}

function requestsOfContainer(
  pod: Pod,
  { resources }: Container,
  status: ResizedStatus | undefined,
  assumeMissing: boolean,
): Resources {
  const asked = resources?.requests ?? {}
  const requests = resourcesOf(asked)
  let named = Object.keys(asked)
  if (status?.resources !== undefined) {
    const actual = resourcesOf(status.resources.requests)
    raiseTo(actual, resourcesOf(status.allocatedResources))
    named = [...named, ...Object.keys(status.resources.requests ?? {})]
    if (isResizeInfeasible(pod)) return withAssumed(actual, named, assumeMissing)
    raiseTo(requests, actual)
  }
  return withAssumed(requests, named, assumeMissing)
}

function withAssumed(requests: Resources, named: readonly string[], assumeMissing: boolean): Resources {
  if (!assumeMissing) return requests
  if (!named.includes('cpu')) requests.milliCpu = assumed.milliCpu
  if (!named.includes('memory')) requests.memory = assumed.memory
  return requests
}

function isResizeInfeasible({ status }: Pod): boolean {
  return status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible'
}

function replaceByPodLevel(total: Resources, requests: Readonly<Record<string, Quantity>> | undefined): void {
  if (requests === undefined) return
  const podLevel = resourcesOf(requests)
  if (requests['cpu'] !== undefined) total.milliCpu = podLevel.milliCpu
  if (requests['memory'] !== undefined) total.memory = podLevel.memory
  for (const [name, amount] of podLevel.scalars) if (name.startsWith('hugepages-')) total.scalars.set(name, amount)
}
