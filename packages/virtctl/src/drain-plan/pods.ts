import { label, labelPrefix } from '@kubevirt-ts/api'
import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { migrationTarget } from '@kubevirt-ts/render'
import type { Seen } from './seen.ts'

/** The pod in which the guest runs. */
export function launcherOf(vmi: VirtualMachineInstance, { cluster }: Seen): Pod | undefined {
  return cluster.pods.find(
    ({ metadata, spec, status }) =>
      metadata.labels?.[label.createdBy] === vmi.metadata.uid &&
      metadata.labels?.[label.app] === 'virt-launcher' &&
      spec.nodeName === vmi.status?.nodeName &&
      status?.phase !== 'Succeeded' &&
      status?.phase !== 'Failed',
  )
}

/** The pod that a migration would make: apart from the present one, and on a processor that can go on with the guest. */
export function movedTo(source: Pod, vmi: VirtualMachineInstance, { node }: Seen): Pod {
  const { uid = '', namespace = '', name } = vmi.metadata
  return migrationTarget({
    rendered: withoutNode(source, vmi),
    migration: { metadata: { name: 'plan', namespace, uid: `plan-${uid}` }, spec: { vmiName: name } },
    vmi,
    source,
    sourceNode: node,
    matchSelinuxLevel: false,
  })
}

/** The pod of the next start, which may go to any processor and stand beside its predecessor. */
export function startedAnew(source: Pod, vmi: VirtualMachineInstance): Pod {
  const pod = withoutNode(source, vmi)
  const { [label.migrationJobUid]: move, ...labels } = pod.metadata.labels ?? {}
  if (move === undefined) return pod
  const own = new Set((vmi.spec.domain.cpu?.features ?? []).map(({ name }) => `${labelPrefix.cpuFeature}${name}`))
  const isOfMove = (key: string) =>
    key.startsWith(labelPrefix.cpuModelMigration) || (key.startsWith(labelPrefix.cpuFeature) && !own.has(key))
  const { affinity: _affinity, ...spec } = pod.spec
  return {
    ...pod,
    metadata: { ...pod.metadata, labels },
    spec: {
      ...spec,
      ...(vmi.spec.affinity === undefined ? {} : { affinity: vmi.spec.affinity }),
      nodeSelector: Object.fromEntries(Object.entries(spec.nodeSelector ?? {}).filter(([key]) => !isOfMove(key))),
    },
  }
}

const architecture = 'kubernetes.io/arch'

function withoutNode(source: Pod, vmi: VirtualMachineInstance): Pod {
  const { nodeName: _node, nodeSelector = {}, ...spec } = source.spec
  const { uid: _uid, ...metadata } = source.metadata
  const wished = vmi.spec.nodeSelector ?? {}
  // A migration may have been asked for with further labels, which held for that one move.
  const isOwn = ([key]: [string, string]) => key in wished || key.includes('kubevirt.io/') || key === architecture
  return {
    ...source,
    metadata: { ...metadata, name: `${vmi.metadata.name}-next` },
    spec: { ...spec, nodeSelector: Object.fromEntries(Object.entries(nodeSelector).filter(isOwn)) },
    status: {},
  }
}
