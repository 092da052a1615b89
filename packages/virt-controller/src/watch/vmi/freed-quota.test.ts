import { expect, test } from '@jest/globals'
import type { ResourceQuota, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { WorkQueue } from '@kubevirt-ts/controller'
import { vmi, withName, withPhase } from '@kubevirt-ts/libvmi'
import { watchVmis } from './controller.ts'
import type { Watched } from './controller.ts'
import type { Deps } from './deps.ts'

function guest(name: string, phase: 'Pending' | 'Running', reason: string, namespace = 'default') {
  const object: VirtualMachineInstance = vmi(withName(name), withPhase(phase as 'Running'))
  object.metadata.namespace = namespace
  object.status = { ...object.status, conditions: [{ type: 'Synchronized', status: 'False', reason }] }
  return object
}

const guests = [
  guest('refused', 'Pending', 'FailedCreate'),
  guest('elsewhere', 'Pending', 'FailedCreate', 'other'),
  guest('runs', 'Running', 'FailedCreate'),
  guest('lacks-a-claim', 'Pending', 'FailedPvcNotFound'),
]

const quota = (hard: string, used: string): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'small', namespace: 'default' },
  spec: { hard: { 'requests.memory': hard } },
  status: { used: { 'requests.memory': used } },
})

/** The keys that a change of the quota wakes. */
function wokenBy(before: ResourceQuota, after?: ResourceQuota): string[] {
  const woken: string[] = []
  const silent = { on: () => undefined }
  const told: { updated?: (a: ResourceQuota, b: ResourceQuota) => void; deleted?: (a: ResourceQuota) => void } = {}
  const watched = {
    vmis: { ...silent, list: () => guests },
    pods: silent,
    attachments: silent,
    claims: silent,
    dataVolumes: silent,
    kubeVirts: silent,
    quotas: { on: (handlers: object) => Object.assign(told, handlers) },
  } as unknown as Watched
  watchVmis(watched, { add: (key: string) => woken.push(key) } as unknown as WorkQueue, {} as Deps)
  if (after === undefined) told.deleted?.(before)
  else told.updated?.(before, after)
  return woken
}

test('guests whose pod was refused are tried again as soon as their quota has room', () => {
  expect(wokenBy(quota('1Gi', '1Gi'), quota('2Gi', '1Gi'))).toEqual(['default/refused'])
  expect(wokenBy(quota('1Gi', '1Gi'), quota('1Gi', '512Mi'))).toEqual(['default/refused'])
  expect(wokenBy(quota('1Gi', '1Gi'))).toEqual(['default/refused'])
})

test('a quota that is used up further wakes nobody', () => {
  expect(wokenBy(quota('1Gi', '512Mi'), quota('1Gi', '1Gi'))).toEqual([])
  expect(wokenBy(quota('2Gi', '512Mi'), quota('1Gi', '512Mi'))).toEqual([])
  expect(wokenBy(quota('1024Mi', '1Gi'), quota('1Gi', '1024Mi'))).toEqual([])
})
