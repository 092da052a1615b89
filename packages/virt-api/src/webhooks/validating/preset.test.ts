import { expect, test } from '@jest/globals'
import { fields } from '../../../test/admission.ts'

test('a preset says what it sets', async () => {
  expect(await fields('/vmipreset-validate', { spec: { selector: {} } })).toEqual(['spec.domain'])
})
