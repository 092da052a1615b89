import { expect, test } from '@jest/globals'
import { admission } from '../../../../test/admission.ts'

const spec = { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } } }

test.each([
  [
    'disks during a snapshot',
    { snapshotInProgress: 's' },
    { template: { spec: { domain: { devices: {} }, volumes: [] } } },
    /disks or volumes until snapshot "s"/,
  ],
  [
    'the run state during a snapshot',
    { snapshotInProgress: 's' },
    { runStrategy: 'Always' },
    /running state until snapshot "s"/,
  ],
  ['a start during a restore', { restoreInProgress: 'r' }, { runStrategy: 'Always' }, /runStrategy until restore "r"/],
])('%s are not changed', async (_, status, change, message) => {
  const oldObject = { metadata: { name: 'x' }, spec, status }
  const object = { spec: { ...spec, ...change }, status }
  const { causes } = await admission('/virtualmachines-validate', object, { more: { oldObject, operation: 'UPDATE' } })
  expect(causes).toMatchObject([{ field: 'spec', message: expect.stringMatching(message) }])
})
