import type { KubeObject, Time } from './meta.ts'

export interface Lease extends KubeObject {
  spec?: LeaseSpec
}

export interface LeaseSpec {
  /** With microseconds. */
  acquireTime?: Time
  holderIdentity?: string
  leaseDurationSeconds?: number
  leaseTransitions?: number
  /** With microseconds. */
  renewTime?: Time
}

export interface ObjectReference {
  apiVersion?: string
  fieldPath?: string
  kind?: string
  name?: string
  namespace?: string
  resourceVersion?: string
  uid?: string
}

export interface Event extends KubeObject {
  action?: string
  count?: number
  eventTime?: Time | null
  firstTimestamp?: Time
  involvedObject: ObjectReference
  lastTimestamp?: Time
  message?: string
  reason?: string
  reportingComponent?: string
  reportingInstance?: string
  related?: ObjectReference
  source?: { component?: string; host?: string }
  type?: string
}
