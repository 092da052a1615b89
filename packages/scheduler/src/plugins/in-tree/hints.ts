import type { Node, Pod } from '@kubevirt-ts/api'
import {
  nodeAffinity,
  nodeUnschedulable,
  podInfoOf,
  snapshotOf,
  taintToleration,
  type FilterRule,
} from '@kubevirt-ts/scheduling'
import { isDeepStrictEqual } from 'node:util'
import type { ClusterEvent } from '../../framework/cluster-event.ts'

type Hint = (event: ClusterEvent, pod: Pod) => boolean

const nothing = snapshotOf({ nodes: [] })

/** A node came or changed in a way that lets the pod pass a rule that looks at nothing but the node. */
function nodePasses<S>(rule: FilterRule<S>): Hint {
  return ({ resource, action, after }, pod) => {
    if (resource !== 'Node' || action === 'Delete') return false
    const info = podInfoOf(pod)
    const { verdict, state } = rule.prepare(info, nothing)
    if (verdict.code !== 'Success') return true
    const [node] = snapshotOf({ nodes: [after as Node] }).nodes
    return rule.filter(state!, node!).code === 'Success'
  }
}

/** A pod on a node ended, so that what it held is free. */
const podLeft: Hint = ({ resource, action }) => resource === 'AssignedPod' && action === 'Delete'

/** A pod on a node came, changed or left, in a namespace that may matter. */
const anyPod: Hint = ({ resource }) => resource === 'AssignedPod'

const nodeCame: Hint = ({ resource, action }) => resource === 'Node' && action === 'Add'

const labelsChanged: Hint = ({ resource, action, before, after }) =>
  resource === 'Node' && action === 'Update' && !isDeepStrictEqual(before?.metadata.labels, after?.metadata.labels)

const roomChanged: Hint = ({ resource, action, before, after }) =>
  resource === 'Node' &&
  action === 'Update' &&
  !isDeepStrictEqual((before as Node).status?.allocatable, (after as Node).status?.allocatable)

/** The rules look at one node each; the first that refuses is told, so a cordon and its taint must both be gone. */
const uncordoned: Hint = (event, pod) =>
  nodePasses(nodeUnschedulable)(event, pod) && nodePasses(taintToleration)(event, pod)

const claimsOrVolumes: Hint = ({ resource }) =>
  resource === 'PersistentVolume' || resource === 'PersistentVolumeClaim' || resource === 'StorageClass'

/** Which events can help a pod that the rule refused; rules that are not here are helped by any. */
export const helpful: Readonly<Record<string, Hint>> = {
  NodeUnschedulable: uncordoned,
  NodeName: nodeCame,
  TaintToleration: nodePasses(taintToleration),
  NodeAffinity: nodePasses(nodeAffinity()),
  NodePorts: any(nodeCame, podLeft),
  NodeResourcesFit: any(nodeCame, roomChanged, podLeft),
  VolumeRestrictions: any(nodeCame, podLeft, claimsOrVolumes),
  NodeVolumeLimits: any(nodeCame, podLeft, claimsOrVolumes, ({ resource }) => resource === 'CSINode'),
  VolumeBinding: any(nodeCame, labelsChanged, claimsOrVolumes, ({ resource }) => resource === 'CSINode'),
  VolumeZone: any(nodeCame, labelsChanged, claimsOrVolumes),
  PodTopologySpread: any(
    nodeCame,
    labelsChanged,
    anyPod,
    ({ resource, action }) => resource === 'Node' && action === 'Delete',
  ),
  InterPodAffinity: any(nodeCame, labelsChanged, anyPod, ({ resource }) => resource === 'Namespace'),
}

function any(...hints: readonly Hint[]): Hint {
  return (event, pod) => hints.some((hint) => hint(event, pod))
}
