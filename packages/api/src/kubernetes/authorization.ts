import type { ObjectMeta } from './meta.ts'

export interface ResourceAttributes {
  group?: string
  name?: string
  namespace?: string
  resource?: string
  subresource?: string
  verb?: string
  version?: string
}

export interface SubjectAccessReview {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
  spec: {
    extra?: Record<string, string[]>
    groups?: string[]
    nonResourceAttributes?: { path?: string; verb?: string }
    resourceAttributes?: ResourceAttributes
    uid?: string
    user?: string
  }
  status?: { allowed: boolean; denied?: boolean; evaluationError?: string; reason?: string }
}

export interface SelfSubjectAccessReview {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
  spec: { nonResourceAttributes?: { path?: string; verb?: string }; resourceAttributes?: ResourceAttributes }
  status?: SubjectAccessReview['status']
}
