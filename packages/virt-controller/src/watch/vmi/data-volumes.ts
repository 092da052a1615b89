import { importState } from '../storage/claim-state.ts'
import type { Removal, Verdict } from './conditions.ts'
import type { Seen } from './seen.ts'

/** Whether the DataVolumes that the guest uses are filled, and whether they only wait to be used. */
export function dataVolumeVerdicts({ vmi, dataVolume, temporaryPods }: Seen): (Verdict | Removal)[] {
  const isWaited = temporaryPods.length > 0
  const provisioning = isWaited
    ? ({ type: 'Provisioning', status: 'True' } as const)
    : { type: 'Provisioning', remove: true }
  const names = (vmi.spec.volumes ?? []).flatMap((volume) => volume.dataVolume?.name ?? [])
  if (names.length === 0) return [{ type: 'DataVolumesReady', remove: true }, provisioning]
  return [readyVerdict(names, dataVolume), provisioning]
}

/** A claim whose DataVolume is gone was filled before. */
function readyVerdict(names: readonly string[], dataVolume: Seen['dataVolume']): Verdict {
  const type = 'DataVolumesReady'
  const unready = names.filter((name) => {
    const found = dataVolume(name)
    return found !== undefined && importState(found) !== 'ready'
  })
  if (unready.length === 0) {
    return { type, status: 'True', reason: 'AllDVsReady', message: "All of the VMI's DVs are bound and ready" }
  }
  return { type, status: 'False', reason: 'NotAllDVsReady', message: `DataVolumes not ready: ${unready.join(', ')}` }
}
