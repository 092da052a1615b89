import { expect, test } from '@jest/globals'
import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { decideEviction } from './decide.ts'

const pod = (node = 'node-1') => ({ metadata: { name: 'virt-launcher-a' }, spec: { nodeName: node } }) as unknown as Pod

function vmi(evictionStrategy: string | undefined, migratable: boolean, status: object = {}): VirtualMachineInstance {
  const conditions = [{ type: 'LiveMigratable', status: migratable ? 'True' : 'False' }]
  return {
    metadata: { name: 'a', namespace: 'n' },
    spec: { ...(evictionStrategy && { evictionStrategy }), domain: { devices: {} } },
    status: { nodeName: 'node-1', conditions, ...status },
  } as unknown as VirtualMachineInstance
}

const mark = { kind: 'mark', node: 'node-1' }
const allow = { kind: 'allow' }
const deny = (message: RegExp) => ({ kind: 'deny', message: expect.stringMatching(message) })

test.each([
  ['nothing', undefined, true, undefined, allow],
  ['None', 'None', true, 'LiveMigrate', allow],
  ['LiveMigrate of a guest that can move', 'LiveMigrate', true, undefined, mark],
  ['LiveMigrate of a guest that can not move', 'LiveMigrate', false, undefined, deny(/not live-migratable/)],
  ['LiveMigrateIfPossible of a guest that can move', 'LiveMigrateIfPossible', true, undefined, mark],
  ['LiveMigrateIfPossible of a guest that can not move', 'LiveMigrateIfPossible', false, undefined, allow],
  ['External', 'External', false, undefined, mark],
  ['the cluster’s LiveMigrate', undefined, true, 'LiveMigrate', mark],
])('%s decides', (_, strategy, migratable, cluster, decision) => {
  expect(decideEviction(pod(), vmi(strategy, migratable), cluster)).toEqual(decision)
})

test('a guest that is on its way already is not marked twice', () => {
  const moving = vmi('LiveMigrate', true, { evacuationNodeName: 'node-1' })
  expect(decideEviction(pod(), moving, undefined)).toEqual(deny(/^Evacuation in progress: .*"n\/a"$/))
})

test('the pod that a guest moves into is not evicted', () => {
  expect(decideEviction(pod('node-2'), vmi('LiveMigrate', true), undefined)).toEqual(
    deny(/^Eviction request for target Pod$/),
  )
})
