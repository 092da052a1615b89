import { persistentVolumeClaims, persistentVolumes, type PersistentVolumeClaim, type Pod } from '@kubevirt-ts/api'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  planVolumes,
  volumeBinding as rule,
  type StaticBinding,
  type VolumeBindingState,
  type VolumePlan,
} from '@kubevirt-ts/scheduling'
import type { CycleState } from '../../framework/cycle-state.ts'
import type { PluginFactory, PluginServices } from '../../framework/registry.ts'
import { filterStateOf, rulePlugin } from '../../framework/rule-plugin.ts'
import { failure, statusOf, type Status } from '../../framework/status.ts'
import { helpful } from '../in-tree/hints.ts'

const planKey = 'VolumeBinding/plan'
const selectedNode = 'volume.kubernetes.io/selected-node'

/** Volumes that were promised to a claim, before the API server shows it. */
type Promised = Map<string, string>

/** Keeps pods near their volumes, and binds or orders the volumes of claims that waited for their first pod. */
export const volumeBinding: PluginFactory = {
  name: 'VolumeBinding',
  create: (args, services) => {
    const given = args?.fields('apiVersion', 'kind', 'bindTimeoutSeconds')
    const timeoutMs = (given?.bindTimeoutSeconds?.integer({ minimum: 0 }) ?? 600) * 1000
    const promised: Promised = new Map()
    return {
      ...rulePlugin({ filter: rule, isHelpful: helpful['VolumeBinding']! }),
      reserve: (_pod, node, cycle) => reserve(node, cycle, promised),
      unreserve: (_pod, _node, cycle) => release(cycle, promised),
      preBind: async (pod, node, cycle) => {
        const plan = cycle.read<VolumePlan>(planKey)
        if (plan === undefined) return statusOf('Success')
        try {
          return await bindVolumes(plan, { pod, node, services, timeoutMs })
        } finally {
          release(cycle, promised)
        }
      },
    }
  },
}

/** Decides for the chosen node, and takes the volumes so that the next pod does not get them too. */
function reserve(node: string, cycle: CycleState, promised: Promised): Status {
  const state = filterStateOf<VolumeBindingState>(rule.name, cycle)
  const info = cycle.snapshot.node(node)
  if (state === undefined || info === undefined || state.delayed.length === 0) return statusOf('Success')
  const plan = planVolumes(state, info)
  if ('code' in plan) return plan
  const taken = plan.bindings.find(({ volume, claim }) => {
    const owner = promised.get(volume.metadata.name)
    return owner !== undefined && owner !== claim.metadata.uid
  })
  if (taken !== undefined) {
    return failure(new Error(`volume ${taken.volume.metadata.name} is being bound to another claim`))
  }
  for (const { volume, claim } of plan.bindings) promised.set(volume.metadata.name, claim.metadata.uid ?? '')
  cycle.write(planKey, plan)
  return statusOf('Success')
}

function release(cycle: CycleState, promised: Promised): void {
  for (const { volume, claim } of cycle.read<VolumePlan>(planKey)?.bindings ?? []) {
    if (promised.get(volume.metadata.name) === claim.metadata.uid) promised.delete(volume.metadata.name)
  }
  cycle.delete(planKey)
}

interface Binding {
  readonly pod: Pod
  readonly node: string
  readonly services: PluginServices
  readonly timeoutMs: number
}

async function bindVolumes(plan: VolumePlan, binding: Binding): Promise<Status> {
  const { client } = binding.services
  for (const each of plan.bindings) await promiseVolume(each, binding)
  for (const { metadata } of plan.provisions) {
    const { name, namespace = '' } = metadata
    const body = { metadata: { annotations: { [selectedNode]: binding.node } } }
    await client.patch(persistentVolumeClaims, { name, namespace }, body, { type: 'merge' })
  }
  return waitUntilBound([...plan.bindings.map(({ claim }) => claim), ...plan.provisions], binding)
}

/** The volume names its claim; Kubernetes' volume controller does the rest. */
async function promiseVolume({ volume, claim }: StaticBinding, { services }: Binding): Promise<void> {
  const { name, resourceVersion } = volume.metadata
  const claimRef = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    name: claim.metadata.name,
    namespace: claim.metadata.namespace,
    uid: claim.metadata.uid,
  }
  // With the version, two schedulers cannot promise one volume.
  const metadata = { resourceVersion, annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } }
  await services.client.patch(persistentVolumes, { name }, { metadata, spec: { claimRef } }, { type: 'merge' })
}

const lookEveryMs = 200

async function waitUntilBound(claims: readonly PersistentVolumeClaim[], binding: Binding): Promise<Status> {
  const { services, node, timeoutMs, pod } = binding
  const end = Date.now() + timeoutMs
  for (;;) {
    const now = claims.map(({ metadata }) => services.claims.get(`${metadata.namespace}/${metadata.name}`))
    if (now.every((claim) => claim?.status?.phase === 'Bound')) return statusOf('Success')
    const moved = now.find((claim, index) => wasGivenUp(claim, claims[index]!, node))
    if (moved !== undefined) return failure(new Error(`provisioning failed for PVC "${moved.metadata.name}"`))
    if (Date.now() > end) {
      return failure(
        new Error(
          `binding volumes of ${pod.metadata.namespace}/${pod.metadata.name}: timed out waiting for the condition`,
        ),
      )
    }
    await sleep(lookEveryMs)
  }
}

/** A provisioner that cannot serve the node takes the annotation away again. */
function wasGivenUp(now: PersistentVolumeClaim | undefined, before: PersistentVolumeClaim, node: string): boolean {
  if (now === undefined || now.spec?.volumeName) return false
  const wasSeen = now.metadata.resourceVersion !== before.metadata.resourceVersion
  const wanted = now.metadata.annotations?.[selectedNode]
  return wasSeen && wanted !== undefined && wanted !== node
}
