import type { DataVolume, VirtualMachine } from '@kubevirt-ts/api'
import { claimName, isHotplugVolume } from '@kubevirt-ts/vmispec'
import { claimState, importState } from '../../storage/claim-state.ts'
import type { ClaimState, Storage } from '../../storage/claim-state.ts'

type View = Storage & { readonly vm: VirtualMachine }

/** The DataVolumes that the VM's templates and volumes name and that are there. */
function namedBy({ vm, dataVolume }: View): DataVolume[] {
  const ofTemplates = (vm.spec.dataVolumeTemplates ?? []).map(({ metadata }) => metadata.name)
  const ofVolumes = (vm.spec.template.spec?.volumes ?? []).flatMap((volume) => volume.dataVolume?.name ?? [])
  return [...new Set([...ofTemplates, ...ofVolumes])].flatMap((name) => dataVolume(name) ?? [])
}

const quota = 'ErrExceededQuota'

/** The quota is told in a condition only: the importer waits for it to change. */
function isInError(volume: DataVolume): boolean {
  const exceeds = volume.status?.conditions?.some(({ reason }) => reason === quota) ?? false
  return exceeds || importState(volume) === 'importFailed'
}

export const isImportFailed = (view: View): boolean => namedBy(view).some(isInError)

export const isImporting = (view: View): boolean => namedBy(view).some((volume) => importState(volume) === 'importing')

/** Which DataVolume cannot be filled, with what its importer says of it. */
export function importProblem(view: View): string | undefined {
  const failed = namedBy(view).find(isInError)
  if (failed === undefined) return undefined
  const { metadata, status } = failed
  const words = (status?.conditions ?? []).filter(({ message, status: is }) => message && is !== 'True')
  const said = words.find(({ reason }) => reason === quota) ?? words.find(({ type }) => type === 'Running') ?? words[0]
  return `DataVolume ${metadata.namespace}/${metadata.name} cannot be filled: ${said?.message ?? status?.phase}`
}

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
