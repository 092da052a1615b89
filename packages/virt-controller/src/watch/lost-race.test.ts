import { expect, test } from '@jest/globals'
import { ApiError } from '@kubevirt-ts/kubecli'
import { patiently } from './lost-race.ts'

const refusal = (code: number, reason: string, causes?: { field: string }[]): ApiError =>
  new ApiError({ code, reason, ...(causes === undefined ? {} : { details: { causes } }) }, { request: 'PATCH vmi' })

test.each([
  ['an old resource version', refusal(409, 'Conflict')],
  ['a test that did not hold', refusal(422, 'Invalid')],
])('%s is tried again soon', async (_, error) => {
  await expect(patiently(() => Promise.reject(error))).resolves.toEqual({ requeueAfter: 200 })
})

test.each([
  ['content that is refused', refusal(422, 'Invalid', [{ field: 'spec' }])],
  ['a name that is taken', refusal(409, 'AlreadyExists')],
  ['a missing right', refusal(403, 'Forbidden')],
])('%s is a failure', async (_, error) => {
  await expect(patiently(() => Promise.reject(error))).rejects.toBe(error)
})
