import type { AdmissionRequest, KubeObject, ObjectMeta } from '@kubevirt-ts/api'
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
  const flaw = metadataProblem(given.metadata)
  if (flaw !== undefined) return flaw
  if (given.metadata.deletionTimestamp) return undefined
  if (typeof given.spec !== 'object' || given.spec === null) return 'spec in body is required'
  const type = specTypes[kind]
  return type === undefined ? undefined : shapeProblem(type, given.spec, 'spec')
}

/** The API server has read the metadata itself; whoever else asks gets an answer too. */
function metadataProblem({ labels, annotations, finalizers }: ObjectMeta): string | undefined {
  const isText = (value: unknown) => typeof value === 'string'
  const isMap = (value: unknown) =>
    value == null || (typeof value === 'object' && !Array.isArray(value) && Object.values(value).every(isText))
  const isList = (value: unknown) => value == null || (Array.isArray(value) && value.every(isText))
  if (!isMap(labels)) return 'metadata.labels in body must be of type object: strings by name'
  if (!isMap(annotations)) return 'metadata.annotations in body must be of type object: strings by name'
  return isList(finalizers) ? undefined : 'metadata.finalizers in body must be of type array: strings'
}

const refusal = (message: string): Admission => ({ causes: [{ reason: '', field: '', message }] })
