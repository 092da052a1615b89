import { expect, test } from '@jest/globals'
import type { PersistentVolumeClaim, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { checkClaim, claimOf, dumpChange, removeDumpChange } from './memory-dump.ts'

const vm = (memoryDumpRequest?: object) =>
  ({
    metadata: { name: 'a' },
    spec: {},
    status: { created: true, ...(memoryDumpRequest && { memoryDumpRequest }) },
  }) as unknown as VirtualMachine
const vmi = {
  metadata: { name: 'a' },
  spec: { domain: { memory: { guest: '924Mi' }, devices: {} } },
} as VirtualMachineInstance
const claim = (storage: string, spec: object = {}) =>
  ({
    metadata: { name: 'c' },
    spec: { resources: { requests: { storage } }, ...spec },
  }) as unknown as PersistentVolumeClaim

test('a dump goes to the named claim, or to that of the last one', () => {
  expect(claimOf(vm(), 'c')).toBe('c')
  expect(claimOf(vm({ claimName: 'old' }), undefined)).toBe('old')
  expect(() => claimOf(vm(), undefined)).toThrow(expect.objectContaining({ code: 400 }))
  expect(() => claimOf(vm({ claimName: 'old' }), 'c')).toThrow(expect.objectContaining({ code: 409 }))
})

test('a claim must hold memory, 100Mi and what its filesystem takes', () => {
  expect(() => checkClaim(claim('1081Mi'), vmi)).not.toThrow()
  expect(() => checkClaim(claim('1080Mi'), vmi)).toThrow(/pvc size \[1080Mi\] should be bigger then \[1081Mi\]/)
  expect(() => checkClaim(claim('2Gi', { volumeMode: 'Block' }), vmi)).toThrow(/pvc should be filesystem pvc/)
  expect(() => checkClaim(claim('2Gi', { accessModes: ['ReadOnlyMany'] }), vmi)).toThrow(/read-only/)
})

test('a dump is asked for in the status, one at a time', () => {
  expect(dumpChange(vm(), 'c').patch).toEqual([
    { op: 'test', path: '/status/memoryDumpRequest', value: null },
    { op: 'add', path: '/status/memoryDumpRequest', value: { claimName: 'c', phase: 'Associating' } },
  ])
  expect(() => dumpChange(vm({ claimName: 'c', phase: 'Completed' }), 'c')).not.toThrow()
  expect(() => dumpChange(vm({ claimName: 'c', phase: 'InProgress' }), 'c')).toThrow(
    expect.objectContaining({ code: 409 }),
  )
})

test('an association is removed once', () => {
  expect(removeDumpChange(vm({ claimName: 'c', phase: 'Completed' })).patch[1]).toMatchObject({
    value: { claimName: 'c', remove: true, phase: 'Dissociating' },
  })
  expect(() => removeDumpChange(vm())).toThrow(expect.objectContaining({ code: 409 }))
  expect(() => removeDumpChange(vm({ claimName: 'c', remove: true }))).toThrow(expect.objectContaining({ code: 409 }))
})
