import { expect, test } from '@jest/globals'
import { fields } from '../../../test/admission.ts'

test.each([
  [
    'a policy below nothing',
    { spec: { completionTimeoutPerGiB: -1, bandwidthPerMigration: '-1Mi' } },
    ['spec.completionTimeoutPerGiB', 'spec.bandwidthPerMigration'],
  ],
  [
    'a policy with an option that is off',
    { spec: { experimental: { downtimeTuning: {} } } },
    ['spec.experimental.downtimeTuning'],
  ],
])('%s is answered with its fields', async (_, object, expected) => {
  expect(await fields('/migration-policy-validate-create', object)).toEqual(expected)
})
