import { isDeepStrictEqual } from 'node:util'
import type { VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import type { Admission, AdmissionContext, Admitter, JsonPatchStep } from '../admitter.ts'
import { findReferenced, found } from '../referenced.ts'
import { inferMatchers } from './infer.ts'
import { matcherRefusal } from './matchers.ts'
import { mutateNewMigration } from './migration.ts'
import { mergePresets } from './presets.ts'
import { mutateVm } from './vm.ts'
import { mutateNewVmi } from './vmi.ts'
import { writtenStatus } from './written-status.ts'

/** Replaces the parts of `before` that are other in `after`. */
function partPatch<T extends object>(before: T, after: T, parts: readonly (keyof T & string)[]): JsonPatchStep[] {
  return parts
    .filter((part) => !isDeepStrictEqual(before[part], after[part]))
    .map((part) => ({ op: before[part] === undefined ? 'add' : 'replace', path: `/${part}`, value: after[part] }))
}

export const mutateVmiAdmitter: Admitter = (request, context) => {
  const vmi = request.object as VirtualMachineInstance
  if (request.operation === 'CREATE') return admitNewVmi(vmi, request.namespace ?? '', context)
  const old = request.oldObject as VirtualMachineInstance | undefined
  if (!old || isDeepStrictEqual(old.status, vmi.status)) return {}
  const status = writtenStatus(request, context, old.status, vmi.status)
  if (status === undefined) return vmi.status === undefined ? {} : { patch: [{ op: 'remove', path: '/status' }] }
  return { patch: partPatch(vmi, { ...vmi, status }, ['status']) }
}

function admitNewVmi(vmi: VirtualMachineInstance, namespace: string, context: AdmissionContext): Admission {
  const { settings, chance, presets } = context
  const merged = mergePresets(vmi, presets?.(namespace) ?? [])
  if (merged.refused !== undefined) return { denied: { code: 422, message: merged.refused } }
  const mutated = mutateNewVmi(merged.vmi, settings, chance)
  return { patch: partPatch(vmi, mutated, ['spec', 'metadata', 'status']), warnings: merged.warnings }
}

export const mutateVmAdmitter: Admitter = async (request, { settings, chance, client }) => {
  const vm = request.object as VirtualMachine
  if (vm.metadata.deletionTimestamp) return {}
  const refusal = matcherRefusal(vm)
  if (refusal) return refusal
  const namespace = request.namespace ?? ''
  const inferred = await inferMatchers(vm, namespace, (resource, reference) => found(client.get(resource, reference)))
  if (inferred.refused !== undefined) return { denied: { code: 400, message: inferred.refused } }
  const referenced = await findReferenced(inferred.vm, namespace, client)
  const mutated = mutateVm(inferred.vm, request.operation === 'CREATE', settings, chance, referenced)
  return { patch: partPatch(vm, mutated, ['spec', 'metadata']) }
}

export const mutateMigrationAdmitter: Admitter = (request) => {
  const migration = request.object as VirtualMachineInstanceMigration
  return { patch: partPatch(migration, mutateNewMigration(migration), ['metadata']) }
}
