import { expect, test } from '@jest/globals'
import type { VirtualMachine, VirtualMachineInstance, VirtualMachineStatus } from '@kubevirt-ts/api'
import { vm, vmi, withPersistentVolumeClaim, withStatus } from '@kubevirt-ts/libvmi'
import { volumeUpdateState, withRecovery } from './state.ts'

const moved = [{ volumeName: 'data', sourcePVCInfo: { claimName: 'old' }, destinationPVCInfo: { claimName: 'new' } }]
const remembered = { volumeMigrationState: { migratedVolumes: moved } }

const guest = (phase: string, migratedVolumes: typeof moved | [] = moved): VirtualMachineInstance =>
  vmi(withPersistentVolumeClaim('data', 'new'), withStatus({ phase, migratedVolumes }))

function machine(claim: string, status: VirtualMachineStatus = {}): VirtualMachine {
  return { ...vm(vmi(withPersistentVolumeClaim('data', claim))), status }
}

const recovery = (seen: { vm: VirtualMachine; vmi: VirtualMachineInstance | undefined }) =>
  withRecovery(seen.vm.status?.conditions ?? [], { ...seen, now: new Date(0) })

test('a VM tells which volumes move, as long as they do', () => {
  expect(volumeUpdateState({ vm: machine('new'), vmi: guest('Running') })).toEqual(remembered)
  expect(volumeUpdateState({ vm: machine('new', { volumeUpdateState: remembered }), vmi: guest('Running', []) })).toBe(
    undefined,
  )
})

test('a guest that ends on the way leaves its VM waiting for somebody who sets the volumes back', () => {
  const ended = { vm: machine('new'), vmi: guest('Failed') }
  expect(volumeUpdateState(ended)).toEqual(remembered)
  expect(recovery(ended)).toEqual([
    expect.objectContaining({
      type: 'ManualRecoveryRequired',
      status: 'True',
      message: expect.stringContaining('data to old'),
    }),
  ])
  const gone = { vm: machine('new', { volumeUpdateState: remembered }), vmi: undefined }
  expect(recovery(gone)).toHaveLength(1)
})

test('once the volumes are set back the VM can be started', () => {
  const conditions = [{ type: 'ManualRecoveryRequired', status: 'True' as const }]
  const back = { vm: machine('old', { volumeUpdateState: remembered, conditions }), vmi: undefined }
  expect(volumeUpdateState(back)).toBeUndefined()
  expect(recovery(back)).toEqual([])
})

test('a guest that ended before anything moved leaves nothing to recover', () => {
  const ended = { vm: machine('new'), vmi: guest('Failed', []) }
  expect(volumeUpdateState(ended)).toBeUndefined()
  expect(recovery(ended)).toEqual([])
})
