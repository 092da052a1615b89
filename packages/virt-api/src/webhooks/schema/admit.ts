import type { AdmissionRequest, KubeObject } from '@kubevirt-ts/api'
import type { Admission, Admitter } from '../admitter.ts'
import { shapeProblem } from '../../schema/check.ts'
import { withoutNulls } from './without-nulls.ts'

const specTypes: Readonly<Record<string, string>> = {
  VirtualMachine: 'VirtualMachineSpec',
  VirtualMachineInstance: 'VirtualMachineInstanceSpec',
  VirtualMachineInstanceReplicaSet: 'VirtualMachineInstanceReplicaSetSpec',
}

/**
 * Puts a check of the object's shape before an admitter, so that what follows can rely on the types. The original
 * answers such an object with one cause that has neither type nor field; so does this.
 */
export const shaped =
  (kind: string, admit: Admitter): Admitter =>
  (request, context) => {
    const problem = objectProblem(kind, request)
    if (problem !== undefined) return refusal(problem)
    const { object, oldObject } = request
    return admit(
      { ...request, object: withoutNulls(object), ...(oldObject != null && { oldObject: withoutNulls(oldObject) }) },
      context,
    )
  }

function objectProblem(kind: string, { object }: AdmissionRequest): string | undefined {
  const given = object as (KubeObject & { spec?: unknown }) | null | undefined
  if (typeof given?.metadata !== 'object' || given.metadata === null) return `body is not a ${kind}: it has no metadata`
  if (given.metadata.deletionTimestamp) return undefined
  if (typeof given.spec !== 'object' || given.spec === null) return 'spec in body is required'
  const type = specTypes[kind]
  return type === undefined ? undefined : shapeProblem(type, given.spec, 'spec')
}

const refusal = (message: string): Admission => ({ causes: [{ reason: '', field: '', message }] })
