import { expect, test } from '@jest/globals'
import type { Pod } from '@kubevirt-ts/api'
import { vmi, withPhase } from '@kubevirt-ts/libvmi'
import { nextPhase, verdictGraceMs } from './phase.ts'
import type { Seen } from './seen.ts'

const now = new Date('2026-01-01T00:00:00Z')

function pod(state: 'starting' | 'ready' | 'finished' | 'terminating'): Pod {
  const phase = state === 'finished' ? 'Failed' : state === 'starting' ? 'Pending' : 'Running'
  return {
    metadata: { name: 'p', ...(state === 'terminating' ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: { nodeName: 'n', containers: [] },
    status: {
      phase,
      containerStatuses: [
        { name: 'compute', image: '', imageID: '', ready: false, restartCount: 0, state: { running: {} } },
      ],
    },
  }
}

function seen(phase: string, pods: Pod[], more: Partial<Seen> & { deleted?: boolean } = {}): Seen {
  const object = vmi(withPhase(phase as 'Pending'))
  if (more.deleted) object.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
  return {
    vmi: object,
    pods,
    podsSettled: true,
    ownerVmStays: false,
    temporaryPods: [],
    stateClaim: () => undefined,
    storageClasses: () => [],
    configuration: {},
    lowestFrequency: () => undefined,
    launcherImage: 'launcher:v1',
    claim: () => undefined,
    dataVolume: () => undefined,
    storageClass: () => undefined,
    attachments: [],
    fate: undefined,
    now,
    ...more,
  }
}

function abandoned(): Pod {
  const waits = pod('starting')
  waits.status!.containerStatuses![0]!.state = { terminated: { exitCode: 1 } }
  return waits
}

function crashed(exitCode: number, agoMs: number): Pod {
  const finishedAt = new Date(now.getTime() - agoMs).toISOString()
  const ended = pod('finished')
  ended.status!.containerStatuses![0]!.state = { terminated: { exitCode, finishedAt } }
  return ended
}

const past = now.getTime() - verdictGraceMs

test.each<[what: string, seen: Seen, phase: string]>([
  ['no pod yet', seen('', []), 'Pending'],
  ['no pod yet', seen('Pending', []), 'Pending'],
  ['deleted before it had a pod', seen('Pending', [], { deleted: true }), 'Failed'],
  ['the pod is there', seen('Pending', [pod('starting')]), 'Scheduling'],
  ['the pod starts', seen('Scheduling', [pod('starting')]), 'Scheduling'],
  ['the pod is ready', seen('Scheduling', [pod('ready')]), 'Scheduled'],
  ['the pod is ready, but the VMI is deleted', seen('Scheduling', [pod('ready')], { deleted: true }), 'Scheduling'],
  ['the pod ended', seen('Scheduling', [pod('finished')]), 'Failed'],
  ['the launcher gave up on another container', seen('Scheduling', [abandoned()]), 'Failed'],
  ['the pod is being deleted', seen('Scheduling', [pod('terminating')]), 'Failed'],
  ['the pod vanished', seen('Scheduling', []), 'Failed'],
  ['the pod vanished before the guest ran', seen('Scheduled', []), 'Failed'],
  ['the launcher failed before the guest ran', seen('Scheduled', [crashed(1, verdictGraceMs)]), 'Failed'],
  ['the launcher failed just now', seen('Scheduled', [crashed(1, 0)]), 'Scheduled'],
  ['the launcher ended well, and the guest too', seen('Scheduled', [crashed(0, verdictGraceMs)]), 'Scheduled'],
  ['the launcher failed under the guest', seen('Running', [crashed(1, verdictGraceMs)]), 'Running'],
  ['the pod ended under the guest, which its node agent will judge', seen('Running', [pod('finished')]), 'Running'],
  ['the pod vanished just now', seen('Running', [], { fate: { goneSince: now.getTime() } }), 'Running'],
  ['the pod vanished a while ago', seen('Running', [], { fate: { goneSince: past } }), 'Failed'],
  ['the pod vanished after a clean end', seen('Running', [], { fate: { goneSince: past, exitCode: 0 } }), 'Failed'],
  [
    'a deleted guest ended cleanly',
    seen('Running', [], { fate: { goneSince: past, exitCode: 0 }, deleted: true }),
    'Succeeded',
  ],
  ['a deleted guest crashed', seen('Running', [], { fate: { goneSince: past, exitCode: 1 }, deleted: true }), 'Failed'],
  ['the cache is behind', seen('Running', [], { podsSettled: false }), 'Running'],
  ['it is over', seen('Succeeded', []), 'Succeeded'],
])('%s: %#', (_, state, phase) => {
  expect(nextPhase(state).phase).toBe(phase)
})

test('a launcher that has failed is looked at again when the time of its node agent is over', () => {
  expect(nextPhase(seen('Scheduled', [crashed(1, 2_000)]))).toEqual({ phase: 'Scheduled', requeueAfter: 3_000 })
})

test('while the node agent may still speak, the VMI is looked at again when its time is over', () => {
  const fate = { goneSince: now.getTime() - 2_000 }
  expect(nextPhase(seen('Running', [], { fate }))).toEqual({ phase: 'Running', requeueAfter: 3_000 })
})
