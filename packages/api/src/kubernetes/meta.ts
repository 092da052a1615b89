/** A moment in RFC 3339, in UTC, e.g. `2026-01-31T12:00:00Z`. */
export type Time = string

/** A span of time as Go writes it, e.g. `1h30m`. */
export type Duration = string

export type IntOrString = number | string

/** Any JSON object whose schema is not known here. */
export type RawExtension = Record<string, unknown>
export type FieldsV1 = Record<string, unknown>

export interface OwnerReference {
  apiVersion: string
  blockOwnerDeletion?: boolean
  controller?: boolean
  kind: string
  name: string
  uid: string
}

export interface ManagedFieldsEntry {
  apiVersion?: string
  fieldsType?: string
  fieldsV1?: FieldsV1
  manager?: string
  operation?: string
  subresource?: string
  time?: Time
}

/**
 * Metadata of an object. `uid`, `resourceVersion` and the other fields that the API server sets
 * are absent on an object that was not sent yet; `namespace` is absent on cluster-scoped objects.
 */
export interface ObjectMeta {
  annotations?: Record<string, string>
  creationTimestamp?: Time
  deletionGracePeriodSeconds?: number
  deletionTimestamp?: Time
  finalizers?: string[]
  generateName?: string
  generation?: number
  labels?: Record<string, string>
  managedFields?: ManagedFieldsEntry[]
  /** Empty on an object that is created with `generateName`. */
  name: string
  namespace?: string
  ownerReferences?: OwnerReference[]
  resourceVersion?: string
  selfLink?: string
  uid?: string
}

/** Metadata of a template: what the objects made from it get. */
export type TemplateMeta = Partial<ObjectMeta>

export interface ListMeta {
  continue?: string
  remainingItemCount?: number
  resourceVersion?: string
  selfLink?: string
}

/** What every object has, whatever its kind. */
export interface KubeObject {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
}

export interface KubeList<T> {
  apiVersion?: string
  kind?: string
  metadata: ListMeta
  items: T[]
}

export type ConditionStatus = 'True' | 'False' | 'Unknown'

/** What all conditions share, whichever kind they belong to. */
export interface Condition {
  lastProbeTime?: Time
  lastTransitionTime?: Time
  message?: string
  observedGeneration?: number
  reason?: string
  status: string
  type: string
}
