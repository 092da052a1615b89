import type { KubeObject } from '@kubevirt-ts/api'

/**
 * Whether nobody applies the object server-side: then no field has an owner that others must respect, and without the
 * record of writers the API server neither keeps nor compares it with each later write (the rule of Kubernetes' field
 * management: an object without entries is tracked from its first apply on).
 */
export function isRecordIdle({ metadata }: KubeObject): boolean {
  return metadata.managedFields?.every(({ operation }) => operation !== 'Apply') ?? false
}
