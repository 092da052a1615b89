import { isDeepStrictEqual } from 'node:util'
import type { AdmissionRequest, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isKubeVirt } from '../admitter.ts'
import type { AdmissionContext, Admitter } from '../admitter.ts'
import { findReferenced } from '../referenced.ts'
import { validateNewVmi } from './vmi/create.ts'
import { storageKept } from './vmi/hotplug.ts'
import { outsideOwnNode } from './vmi/node-restriction.ts'
import { limitsKept, validateVmiUpdate } from './vmi/update.ts'
import { specWarnings } from './vmi/warnings.ts'
import { changesInProgress } from './vm/in-progress.ts'
import { validateVm, vmWarnings } from './vm/validate.ts'

export const createVmi: Admitter = (request, context) => {
  const { spec, metadata } = request.object as VirtualMachineInstance
  const byKubeVirt = isKubeVirt(request, context)
  const { settings } = context
  const causes = validateNewVmi({ spec, metadata, field: 'spec', metadataField: 'metadata', settings, byKubeVirt })
  return { causes, warnings: specWarnings(spec, 'spec') }
}

export const updateVmi: Admitter = (request, context) => {
  const [old, next] = [request.oldObject, request.object] as [VirtualMachineInstance, VirtualMachineInstance]
  if (!isKubeVirt(request, context)) return { causes: validateVmiUpdate(old, next) }
  const restricted = isHandler(request, context) && context.settings.isEnabled('NodeRestriction')
  const outside = restricted ? outsideOwnNode(request, old, next) : undefined
  return outside ?? { causes: [...limitsKept(old, next), ...storageKept(old, next)] }
}

const isHandler = ({ userInfo }: AdmissionRequest, { namespace }: AdmissionContext) =>
  userInfo.username === `system:serviceaccount:${namespace}:kubevirt-handler`

/** A VM that is being deleted may always be changed, else its finalizers could never go; so may one's metadata. */
export const validateVmAdmitter: Admitter = async (request, context) => {
  const vm = request.object as VirtualMachine
  const old = request.oldObject as VirtualMachine | undefined
  if (vm.metadata.deletionTimestamp || (old && isDeepStrictEqual(old.spec, vm.spec))) return {}
  const blocked = old ? changesInProgress(vm, old) : []
  if (blocked.length > 0) return { causes: blocked }
  const referenced = await findReferenced(vm, request.namespace ?? '', context.client)
  const causes = validateVm(vm, context.settings, isKubeVirt(request, context), referenced)
  return { causes, warnings: vmWarnings(vm, referenced) }
}
