import type { VirtualMachine } from '@kubevirt-ts/api'
import { claimName, isHotplugVolume } from '@kubevirt-ts/vmispec'
import { claimState, importState } from '../../storage/claim-state.ts'
import type { ClaimState, Storage } from '../../storage/claim-state.ts'

type View = Storage & { readonly vm: VirtualMachine }

/** States of the DataVolumes that the VM's templates and volumes name and that are there. */
function importStates({ vm, dataVolume }: View): ClaimState[] {
  const ofTemplates = (vm.spec.dataVolumeTemplates ?? []).map(({ metadata }) => metadata.name)
  const ofVolumes = (vm.spec.template.spec?.volumes ?? []).flatMap((volume) => volume.dataVolume?.name ?? [])
  return [...new Set([...ofTemplates, ...ofVolumes])].flatMap((name) => {
    const found = dataVolume(name)
    return found === undefined ? [] : [importState(found)]
  })
}

export const isImportFailed = (view: View): boolean => importStates(view).includes('importFailed')

export const isImporting = (view: View): boolean => importStates(view).includes('importing')

/** Whether the DataVolumes of the VM's templates let it start: filled, or to be filled once a pod uses them. */
export function mayStart(view: View): boolean {
  const templates = (view.vm.spec.dataVolumeTemplates ?? []).map(({ metadata }) => metadata.name)
  const good: ReadonlySet<ClaimState> = new Set(['ready', 'importConsumer', 'firstConsumer', 'unbound'])
  return templates.every((name) => good.has(claimState(name, view)))
}

/** Whether a claim that the guest starts with has no volume yet. */
export function hasUnboundClaim(view: View): boolean {
  const volumes = (view.vm.spec.template.spec?.volumes ?? []).filter((volume) => !isHotplugVolume(volume))
  return volumes.some((volume) => {
    const name = claimName(volume)
    const phase = name === undefined ? undefined : view.claim(name)?.status?.phase
    return phase === 'Pending'
  })
}
