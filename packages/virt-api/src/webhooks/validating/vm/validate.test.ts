import { expect, test } from '@jest/globals'
import { admission } from '../../../../test/admission.ts'

const spec = { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } } }

test('a VM whose instance type is not there yet is admitted, with a word about it', async () => {
  const vmOf = (more: object) => ({ spec: { ...spec, ...more } })
  const named = vmOf({ instancetype: { name: 'big' }, running: true, runStrategy: undefined })
  expect(await admission('/virtualmachines-validate', named)).toEqual({
    causes: [],
    warnings: [
      expect.stringMatching(/running is deprecated/),
      expect.stringMatching(/there is no instancetype big yet/),
    ],
  })
})
