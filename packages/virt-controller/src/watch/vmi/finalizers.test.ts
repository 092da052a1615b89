import { expect, test } from '@jest/globals'
import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { releaseFinalizers } from './finalizers.ts'
import type { Seen } from './seen.ts'

const own = 'kubevirt.io/foregroundDeleteVirtualMachine'
const ofVm = 'kubevirt.io/virtualMachineControllerFinalize'
const deletionTimestamp = '2026-01-01T00:00:00Z'

type Case = { readonly deleted: boolean; readonly ownerVmStays: boolean; readonly pods: readonly string[] }

/** The finalizers that are left of a VMI that has Succeeded; pods by their phase, all of them terminating. */
function left({ deleted, ownerVmStays, pods }: Case): readonly string[] {
  const vmi = {
    metadata: { name: 'a', finalizers: [own, ofVm], ...(deleted ? { deletionTimestamp } : {}) },
    spec: { domain: { devices: {} } },
    status: { phase: 'Succeeded' },
  } as VirtualMachineInstance
  const seen = {
    vmi,
    ownerVmStays,
    podsSettled: true,
    temporaryPods: [],
    pods: pods.map((phase) => ({ metadata: { deletionTimestamp }, status: { phase } }) as unknown as Pod),
  } as unknown as Seen
  releaseFinalizers(vmi, { seen })
  return vmi.metadata.finalizers ?? []
}

test.each<[string, Case, readonly string[]]>([
  ['a deleted VMI goes with the last container', { deleted: true, ownerVmStays: false, pods: ['Succeeded'] }, []],
  ['it waits for a container that runs', { deleted: true, ownerVmStays: false, pods: ['Running'] }, [own, ofVm]],
  [
    'a VMI that nobody deleted waits for its pod',
    { deleted: false, ownerVmStays: false, pods: ['Failed'] },
    [own, ofVm],
  ],
  ['without a pod it goes', { deleted: false, ownerVmStays: false, pods: [] }, []],
  ['a VM that stays takes its finalizer off itself', { deleted: true, ownerVmStays: true, pods: [] }, [ofVm]],
])('%s', (_, given, expected) => {
  expect(left(given)).toEqual(expected)
})
