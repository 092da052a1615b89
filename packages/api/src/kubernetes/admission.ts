import type { LabelSelector, Status } from '../generated/index.ts'
import type { KubeObject } from './meta.ts'

export interface GroupVersionKind {
  group: string
  version: string
  kind: string
}

export interface GroupVersionResource {
  group: string
  version: string
  resource: string
}

export interface UserInfo {
  extra?: Record<string, string[]>
  groups?: string[]
  uid?: string
  username?: string
}

export interface AdmissionRequest<T = unknown> {
  uid: string
  kind: GroupVersionKind
  resource: GroupVersionResource
  subResource?: string
  requestKind?: GroupVersionKind
  requestResource?: GroupVersionResource
  requestSubResource?: string
  name?: string
  namespace?: string
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  userInfo: UserInfo
  object?: T | null
  oldObject?: T | null
  dryRun?: boolean
  options?: unknown
}

export interface AdmissionResponse {
  uid: string
  allowed: boolean
  auditAnnotations?: Record<string, string>
  /** JSON patch in base64. */
  patch?: string
  patchType?: 'JSONPatch'
  status?: Status
  warnings?: string[]
}

export interface AdmissionReview<T = unknown> {
  apiVersion: string
  kind: string
  request?: AdmissionRequest<T>
  response?: AdmissionResponse
}

export interface WebhookClientConfig {
  /** PEM in base64. */
  caBundle?: string
  service?: { name: string; namespace: string; path?: string; port?: number }
  url?: string
}

export interface RuleWithOperations {
  apiGroups?: string[]
  apiVersions?: string[]
  operations?: string[]
  resources?: string[]
  scope?: string
}

export interface Webhook {
  admissionReviewVersions: string[]
  clientConfig: WebhookClientConfig
  failurePolicy?: string
  matchConditions?: { expression: string; name: string }[]
  matchPolicy?: string
  name: string
  namespaceSelector?: LabelSelector
  objectSelector?: LabelSelector
  rules?: RuleWithOperations[]
  sideEffects: string
  timeoutSeconds?: number
}

export interface ValidatingWebhookConfiguration extends KubeObject {
  webhooks?: Webhook[]
}

export interface MutatingWebhookConfiguration extends KubeObject {
  webhooks?: (Webhook & { reinvocationPolicy?: string })[]
}
