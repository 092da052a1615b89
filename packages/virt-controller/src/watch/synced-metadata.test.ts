import { expect, test } from '@jest/globals'
import { syncedKeys, syncPatch } from './synced-metadata.ts'

test('keys are synced by name or by the beginning of their name', () => {
  const keys = syncedKeys({ labels: 'team, cost.example.com/*', annotations: 'note' })
  expect(['team', 'teams', 'cost.example.com/centre', 'other'].map(keys.label.has)).toEqual([true, false, true, false])
  expect(['note', 'descheduler.alpha.kubernetes.io/evict', 'team'].map(keys.annotation.has)).toEqual([
    true,
    true,
    false,
  ])
  expect(syncedKeys().label.has('')).toBe(false)
})

test("a prefix sets keys but takes none away, and never means the product's own", () => {
  const { label } = syncedKeys({ labels: '*' })
  expect(syncPatch({ a: '1' }, { 'cni.example.com/status': 'up' }, label)).toEqual({ a: '1' })
  expect(['kubevirt.io/nodeName', 'kubevirt.io', 'vmi.kubevirt.io/id'].some(label.has)).toBe(false)
})

test('only synced keys are changed, and those that are gone are taken away', () => {
  const { label } = syncedKeys({ labels: 'a,b,c' })
  expect(syncPatch({ a: '1', b: '2', x: '3' }, { b: '1', c: '4', y: '5' }, label)).toEqual({ a: '1', b: '2', c: null })
  expect(syncPatch({ a: '1', x: '3' }, { a: '1' }, label)).toBeUndefined()
  expect(syncPatch(undefined, undefined, label)).toBeUndefined()
})
