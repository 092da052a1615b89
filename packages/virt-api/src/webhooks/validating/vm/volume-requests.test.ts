import { expect, test } from '@jest/globals'
import { admission } from '../../../../test/admission.ts'

const spec = { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } } }

test('requests for volumes in a status must be doable', async () => {
  const add = { addVolumeOptions: { name: 'v', disk: { name: 'v' }, volumeSource: { dataVolume: { name: 'd' } } } }
  const ask = (volumeRequests: object[], objects: object[] = []) =>
    admission('/status-validate', { spec, status: { volumeRequests } }, { more: { operation: 'UPDATE' }, objects })
  expect((await ask([add])).causes).toEqual([])
  expect((await ask([{ ...add, removeVolumeOptions: { name: 'v' } }])).causes).toMatchObject([
    { reason: 'FieldValueInvalid' },
  ])
  expect((await ask([add, add])).causes).toMatchObject([{ reason: 'FieldValueDuplicate' }])
  const moving = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'x', namespace: 'n' },
    status: { migrationState: {} },
  }
  expect((await ask([add], [moving])).causes).toMatchObject([{ reason: 'FieldValueNotSupported' }])
})
