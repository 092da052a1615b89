/** Kinds of other products that a cluster may be without, as far as KubeVirt looks at them. */
import type { KubeObject } from '../kubernetes/meta.ts'
import type { ResourceType } from '../resource-type.ts'

/** A network that pods can be joined to, of Multus. Its annotations tell which device a pod needs for it. */
export const networkAttachmentDefinitions: ResourceType<KubeObject> = {
  group: 'k8s.cni.cncf.io',
  version: 'v1',
  plural: 'network-attachment-definitions',
  kind: 'NetworkAttachmentDefinition',
  namespaced: true,
}

/** A copy of a claim at a moment, of the CSI snapshotter. */
export const volumeSnapshots: ResourceType<KubeObject> = {
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  plural: 'volumesnapshots',
  kind: 'VolumeSnapshot',
  namespaced: true,
}

/** A name under which OpenShift serves something to the outside. */
export const routes: ResourceType<KubeObject> = {
  group: 'route.openshift.io',
  version: 'v1',
  plural: 'routes',
  kind: 'Route',
  namespaced: true,
}

/** What the Prometheus operator is told to scrape. */
export const serviceMonitors: ResourceType<KubeObject> = {
  group: 'monitoring.coreos.com',
  version: 'v1',
  plural: 'servicemonitors',
  kind: 'ServiceMonitor',
  namespaced: true,
}
