// Controllers of what all guests stand on: the product itself and the nodes.
import { machineArchitecture } from '../architecture.ts'
import { runCertificates, watchCertificates } from '../certificates/controller.ts'
import { runKubeVirtController, watchKubeVirts } from '../watch/kubevirt/controller.ts'
import { runNodeController, watchNodes } from '../watch/node/controller.ts'
import { runTopologyUpdater } from '../watch/topology/controller.ts'
import { runUnservedController, watchUnserved } from '../watch/unserved/controller.ts'
import { unservedKinds } from '../watch/unserved/kinds.ts'
import type { LeaderParts, Shared } from './controller.ts'

export function certificates(
  { client, informers, config, options, log }: LeaderParts,
  { queue }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('certificates')
  const own = log.child({ controller: 'certificates' })
  const deps = {
    client,
    namespace: options.namespace,
    secrets: informers.secrets,
    configMaps: informers.configMaps,
    targets: () => ({
      apiServices: informers.apiServices.list(),
      mutating: informers.mutating.list(),
      validating: informers.validating.list(),
    }),
    strategy: () => config.kubeVirt()?.spec.certificateRotateStrategy,
    now: Date.now,
    log: own,
  }
  watchCertificates(informers, work)
  return runCertificates(work, deps, own, signal)
}

export function kubeVirt(
  { client, informers, options, log }: LeaderParts,
  { queue, now }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('kubevirt')
  const { kubeVirts, deployments, daemonSets, vmis } = informers
  const architecture = machineArchitecture()
  const deps = {
    client,
    kubeVirts,
    deployments,
    daemonSets,
    vmis,
    launcherImage: options.launcherImage,
    architecture,
    now,
  }
  watchKubeVirts(informers, work)
  return runKubeVirtController(work, deps, log.child({ controller: 'kubevirt' }), signal)
}

export function node(
  { client, informers, options, log }: LeaderParts,
  { queue, recorder, now }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('node')
  const { nodes, vmis, pods } = informers
  watchNodes(nodes, vmis, work)
  const deps = { client, nodes, vmis, pods, events: recorder('node-controller'), now }
  return runNodeController(work, options.nodeThreads, deps, log.child({ controller: 'node' }), signal)
}

export function topology(
  { client, informers, config, options, log }: LeaderParts,
  { queue }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const { nodes, vmis } = informers
  const configuration = () => config.configuration()
  const deps = { client, nodes, vmis, configuration, periodMs: options.topologyPeriod, random: Math.random }
  return runTopologyUpdater(queue('node-topology'), deps, log.child({ controller: 'topology' }), signal)
}
export function unserved(
  { client, informers, log }: LeaderParts,
  { queue, recorder, now }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('unserved')
  const requests = Object.fromEntries(
    unservedKinds.map(({ resource, informer }) => [resource.plural, informers[informer]]),
  )
  const deps = { client, requests, events: recorder('virtualmachine-controller'), now }
  watchUnserved(deps, work)
  return runUnservedController(work, deps, log.child({ controller: 'unserved' }), signal)
}
