import type { KubeObject, Node, Pod } from '@kubevirt-ts/api'
import type { InformerHandlers } from '@kubevirt-ts/controller'
import { isDeepStrictEqual } from 'node:util'
import type { ClusterCache } from '../cache/cluster-cache.ts'
import type { ClusterEvent, EventResource } from '../framework/cluster-event.ts'
import type { SchedulingQueue } from '../queue/scheduling-queue.ts'
import type { Informers } from './informers.ts'
import type { NominatedPods } from './nominated-pods.ts'

export interface FollowOptions {
  readonly informers: Informers
  readonly cache: ClusterCache
  readonly queue: SchedulingQueue
  readonly nominated: NominatedPods
  /** Whether one of our profiles schedules the pod. */
  readonly isOurs: (pod: Pod) => boolean
}

/** Carries every change of the cluster into cache and queue. */
export function followCluster(options: FollowOptions): void {
  const { informers, queue } = options
  informers.nodes.on(nodeHandlers(options))
  informers.pods.on(podHandlers(options))
  const tell = (event: ClusterEvent) => queue.moveFor(event)
  informers.claims.on(eventsOf('PersistentVolumeClaim', tell))
  informers.volumes.on(eventsOf('PersistentVolume', tell))
  informers.storageClasses.on(eventsOf('StorageClass', tell))
  informers.csiNodes.on(eventsOf('CSINode', tell))
  informers.namespaces.on(eventsOf('Namespace', tell))
  informers.virtualMachines.on(eventsOf('VirtualMachine', tell))
  informers.instances.on(eventsOf('VirtualMachineInstance', tell))
}

function eventsOf<T extends KubeObject>(
  resource: EventResource,
  tell: (event: ClusterEvent) => void,
): InformerHandlers<T> {
  return {
    added: (after) => tell({ resource, action: 'Add', after }),
    updated: (before, after) => tell({ resource, action: 'Update', before, after }),
    deleted: (before) => tell({ resource, action: 'Delete', before }),
  }
}

function nodeHandlers({ cache, queue }: FollowOptions): InformerHandlers<Node> {
  const events = eventsOf<Node>('Node', (event) => queue.moveFor(event))
  return {
    added: (node) => {
      cache.setNode(node)
      events.added!(node)
    },
    // Nodes write a sign of life every few seconds; most say nothing that matters here.
    updated: (before, after) => {
      if (isSameNode(before, after)) return
      cache.setNode(after)
      events.updated!(before, after)
    },
    deleted: (node) => {
      cache.deleteNode(node.metadata.name)
      events.deleted!(node)
    },
  }
}

function isSameNode(a: Node, b: Node): boolean {
  return (
    isDeepStrictEqual(a.spec, b.spec) &&
    isDeepStrictEqual(a.metadata.labels, b.metadata.labels) &&
    isDeepStrictEqual(a.status?.allocatable, b.status?.allocatable) &&
    isDeepStrictEqual(a.status?.images, b.status?.images)
  )
}

function podHandlers(options: FollowOptions): InformerHandlers<Pod> {
  const { cache, queue } = options
  const events = eventsOf<Pod>('AssignedPod', (event) => queue.moveFor(event))
  return {
    added: (pod) => {
      if (!isAssigned(pod)) return waits(pod, options)
      cache.setPod(pod)
      events.added!(pod)
    },
    updated: (before, after) => {
      if (!isAssigned(after)) return waits(after, options)
      cache.setPod(after)
      if (!isAssigned(before)) {
        forget(after, options)
        events.added!(after)
      } else if (!isSamePod(before, after)) events.updated!(before, after)
    },
    deleted: (pod) => {
      forget(pod, options)
      cache.deletePod(pod)
      if (isAssigned(pod)) events.deleted!(pod)
    },
  }
}

function isAssigned({ spec }: Pod): boolean {
  return Boolean(spec.nodeName)
}

/** A pod that was just sent to a node is not tried again because its status changes. */
function waits(pod: Pod, { isOurs, cache, queue, nominated }: FollowOptions): void {
  nominated.set(pod)
  if (!isOurs(pod) || pod.metadata.deletionTimestamp !== undefined || cache.isAssumed(pod)) return
  queue.update(pod)
}

function forget(pod: Pod, { queue, nominated }: FollowOptions): void {
  queue.delete(pod)
  nominated.delete(pod)
}

/** Only what others' placement may depend on. */
function isSamePod(a: Pod, b: Pod): boolean {
  return (
    a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
    isDeepStrictEqual(a.metadata.labels, b.metadata.labels) &&
    isDeepStrictEqual(a.spec.containers, b.spec.containers)
  )
}
