import type { ResourceType } from '@kubevirt-ts/api'

/** As much of a ReplicaSet as the reference needs. */
export type ReplicaSet = {
  readonly apiVersion: 'apps/v1'
  readonly kind: 'ReplicaSet'
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: object
}

export const replicaSets: ResourceType<ReplicaSet> = {
  group: 'apps',
  version: 'v1',
  plural: 'replicasets',
  kind: 'ReplicaSet',
  namespaced: true,
} as ResourceType<ReplicaSet>

/** The pacing horse: plain pods of one container, made by Kubernetes' own controller. */
export const benchReplicaSet = (namespace: string, name: string, replicas: number): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name, namespace },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name, reference: 'true' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          { name: 'first', image: 'localhost/pause', resources: { requests: { cpu: '1m', memory: '1Mi' } } },
        ],
      },
    },
  },
})
