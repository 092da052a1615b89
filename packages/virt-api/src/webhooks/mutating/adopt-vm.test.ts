import { expect, test } from '@jest/globals'
import type { AdmissionRequest } from '@kubevirt-ts/api'
import type { Admission, AdmissionContext } from '../admitter.ts'
import { adoptingNewVm } from './adopt-vm.ts'

const finalizer = 'kubevirt.io/virtualMachineControllerFinalize'
const defaulted = { op: 'replace', path: '/spec', value: {} } as const

const ask = (operation: string, finalizers: string[] | undefined, admission: Admission = { patch: [defaulted] }) => {
  const metadata = { name: 'vm', ...(finalizers === undefined ? {} : { finalizers }) }
  const request = { operation, object: { metadata } } as unknown as AdmissionRequest
  return adoptingNewVm(() => admission)(request, {} as AdmissionContext)
}

test.each([
  ['no finalizers', undefined, [{ op: 'add', path: '/metadata/finalizers', value: [finalizer] }]],
  ["a user's finalizer", ['example.com/keep'], [{ op: 'add', path: '/metadata/finalizers/-', value: finalizer }]],
  ['it already', [finalizer], []],
])('a new VM with %s is stored with the finalizer of its controller', async (_what, finalizers, steps) => {
  expect(await ask('CREATE', finalizers)).toEqual({ patch: [defaulted, ...steps] })
})

test('a VM that its controller let go is not held again, and a refusal stays one', async () => {
  expect(await ask('UPDATE', undefined)).toEqual({ patch: [defaulted] })
  expect(await ask('CREATE', undefined, { denied: { code: 400, message: 'no' } })).toEqual({
    denied: { code: 400, message: 'no' },
  })
})
