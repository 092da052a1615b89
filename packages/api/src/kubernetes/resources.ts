/** The built-in resources that the services use. */
import type {
  APIService,
  ConfigMap,
  ControllerRevision,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  Event,
  Job,
  Lease,
  MutatingWebhookConfiguration,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ResourceQuota,
  Secret,
  SelfSubjectAccessReview,
  Service,
  ServiceAccount,
  StorageClass,
  SubjectAccessReview,
  ValidatingWebhookConfiguration,
} from './index.ts'
import type { ResourceType } from '../resource-type.ts'

export const pods: ResourceType<Pod> = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }
export const nodes: ResourceType<Node> = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false }
export const secrets: ResourceType<Secret> = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
}
export const configMaps: ResourceType<ConfigMap> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
export const events: ResourceType<Event> = {
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
}
export const services: ResourceType<Service> = {
  group: '',
  version: 'v1',
  plural: 'services',
  kind: 'Service',
  namespaced: true,
}
export const namespaces: ResourceType<Namespace> = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
}
export const serviceAccounts: ResourceType<ServiceAccount> = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
}
export const persistentVolumeClaims: ResourceType<PersistentVolumeClaim> = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  namespaced: true,
}
export const persistentVolumes: ResourceType<PersistentVolume> = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
}
export const resourceQuotas: ResourceType<ResourceQuota> = {
  group: '',
  version: 'v1',
  plural: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
}
export const controllerRevisions: ResourceType<ControllerRevision> = {
  group: 'apps',
  version: 'v1',
  plural: 'controllerrevisions',
  kind: 'ControllerRevision',
  namespaced: true,
}
export const daemonSets: ResourceType<DaemonSet> = {
  group: 'apps',
  version: 'v1',
  plural: 'daemonsets',
  kind: 'DaemonSet',
  namespaced: true,
}
export const deployments: ResourceType<Deployment> = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
}
export const jobs: ResourceType<Job> = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true }
export const leases: ResourceType<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
}
export const podDisruptionBudgets: ResourceType<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
}
export const storageClasses: ResourceType<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'storageclasses',
  kind: 'StorageClass',
  namespaced: false,
}
export const subjectAccessReviews: ResourceType<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
}
export const selfSubjectAccessReviews: ResourceType<SelfSubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  namespaced: false,
}
export const mutatingWebhookConfigurations: ResourceType<MutatingWebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'mutatingwebhookconfigurations',
  kind: 'MutatingWebhookConfiguration',
  namespaced: false,
}
export const validatingWebhookConfigurations: ResourceType<ValidatingWebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingwebhookconfigurations',
  kind: 'ValidatingWebhookConfiguration',
  namespaced: false,
}
export const customResourceDefinitions: ResourceType<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}
export const apiServices: ResourceType<APIService> = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  plural: 'apiservices',
  kind: 'APIService',
  namespaced: false,
}
