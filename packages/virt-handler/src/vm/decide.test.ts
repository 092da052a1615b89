import { describe, expect, test } from '@jest/globals'
import {
  type MigrationDoubt,
  type VirtualMachineInstance,
  type VirtualMachineInstanceMigrationState,
  withMigrationDoubt,
} from '@kubevirt-ts/api'
import type { Domain, LifeCycle, StateChangeReason } from '@kubevirt-ts/domain'
import { decide } from './decide.ts'
import { verdictOf } from './phase.ts'
import type { Seen } from './seen.ts'
import { shutdownStep } from './shutdown-step.ts'

const guest = { namespace: 'default', name: 'vm', uid: 'u1' }

const vmi = (
  phase: string,
  more: { deleted?: boolean; grace?: number; acpi?: boolean } = {},
): VirtualMachineInstance => ({
  metadata: { ...guest, ...(more.deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
  spec: {
    domain: { devices: {}, ...(more.acpi === undefined ? {} : { features: { acpi: { enabled: more.acpi } } }) },
    ...(more.grace === undefined ? {} : { terminationGracePeriodSeconds: more.grace }),
  },
  status: { phase },
})

const withMove = (state: VirtualMachineInstanceMigrationState, doubt?: MigrationDoubt): VirtualMachineInstance => {
  const { metadata, ...rest } = vmi('Running', { grace: 0 })
  const migrationState = { migrationUid: 'm', ...state }
  return {
    ...rest,
    metadata: doubt === undefined ? metadata : withMigrationDoubt(metadata, 'm', doubt),
    status: { ...rest.status, migrationState },
  }
}

const domain = (status: LifeCycle, reason: StateChangeReason = 'Unknown', marked = false): Domain => ({
  metadata: guest,
  spec: {
    ...({} as Domain['spec']),
    metadata: { kubevirt: { graceperiod: { markedForGracefulShutdown: marked ? 'true' : 'false' } } },
  },
  status: { status, reason },
})

/** Its migration has not ended yet. */
const moving: Domain = {
  ...domain('Paused', 'Migration'),
  spec: { ...domain('Paused').spec, metadata: { kubevirt: { migration: { uid: 'm', mode: 'PreCopy' } } } },
}

const seen = (more: Partial<Seen>): Seen => ({ guest, domainKnown: true, launcher: 'up', known: true, ...more })

describe('what to do about a guest', () => {
  test.each<[string, Partial<Seen>, string]>([
    ['starts a scheduled VMI', { vmi: vmi('Scheduled'), launcher: 'absent', known: false }, 'update'],
    ['ends the copy of a guest that lives elsewhere', { moved: true, domain: domain('Running') }, 'kill'],
    ['removes what a guest left that has moved', { moved: true, domain: domain('Shutoff', 'Migrated') }, 'clean-up'],
    ['lets libvirt end what has just moved', { moved: true, domain: moving }, 'ignore'],
    ['updates a running VMI', { vmi: vmi('Running'), domain: domain('Running') }, 'update'],
    ['lets a defined domain be started', { vmi: vmi('Scheduled'), domain: domain('Shutoff') }, 'update'],
    ['leaves a VMI alone that is not handed over', { vmi: vmi('Scheduling'), known: false }, 'ignore'],
    [
      'makes the guest of a VMI that is on its way here',
      { vmi: vmi('Scheduling'), known: false, early: true },
      'start-early',
    ],
    ['looks again after a VMI that should be on its way here', { vmi: vmi('Scheduling') }, 'await'],
    [
      'keeps how a guest ended before its VMI came',
      { vmi: vmi('Scheduling'), domain: domain('Shutoff', 'Failed'), early: true },
      'await',
    ],
    [
      'ends the guest of a VMI that is deleted before it came',
      { vmi: vmi('Scheduling', { deleted: true }), domain: domain('Paused', 'User') },
      'kill',
    ],
    [
      'ends the guest whose pod is stopped before its VMI came',
      { vmi: vmi('Scheduling'), domain: domain('Paused', 'User', true), early: true },
      'kill',
    ],
    [
      'ends the guest of a VMI that failed on its way',
      { vmi: vmi('Failed'), domain: domain('Paused', 'User') },
      'kill',
    ],
    [
      'removes what was made for a VMI whose launcher died before it came',
      { vmi: vmi('Scheduling'), domain: domain('Paused', 'User'), launcher: 'dead', early: true },
      'clean-up',
    ],
    [
      'shuts down the guest of a deleted VMI',
      { vmi: vmi('Running', { deleted: true }), domain: domain('Running') },
      'shutdown',
    ],
    ['shuts down the guest of a vanished VMI', { domain: domain('Paused') }, 'shutdown'],
    [
      'shuts down a guest whose pod is being stopped',
      { vmi: vmi('Running'), domain: domain('Running', 'Unknown', true) },
      'shutdown',
    ],
    ['ends a guest whose VMI is final', { vmi: vmi('Failed'), domain: domain('Running') }, 'kill'],
    [
      'cleans up behind a guest that has ended',
      { vmi: vmi('Running'), domain: domain('Shutoff', 'Shutdown') },
      'clean-up',
    ],
    [
      'cleans up behind a dead launcher',
      { vmi: vmi('Running'), domain: domain('Running'), launcher: 'dead' },
      'clean-up',
    ],
    ['cleans up behind a vanished VMI', { domain: domain('Shutoff', 'Destroyed') }, 'clean-up'],
    ['cleans up when there never was a domain', { vmi: vmi('Scheduled', { deleted: true }) }, 'clean-up'],
    [
      'does not clean up before the launcher has spoken',
      { vmi: vmi('Running', { deleted: true }), domainKnown: false },
      'ask',
    ],
    ['is done with a final VMI', { vmi: vmi('Succeeded'), known: false }, 'ignore'],
    ['is done with a vanished VMI', { known: false }, 'ignore'],
  ])('%s', (_, state, action) => {
    expect(decide(seen(state))).toBe(action)
  })
})

describe('the phase of a VMI', () => {
  test.each<[string, Partial<Seen>, object]>([
    ['is Running with a running guest', { vmi: vmi('Scheduled'), domain: domain('Running') }, { phase: 'Running' }],
    [
      'is Running with a paused guest',
      { vmi: vmi('Scheduled'), domain: domain('Paused', 'User') },
      { phase: 'Running' },
    ],
    ['stays while nothing is known', { vmi: vmi('Running'), domainKnown: false }, { phase: 'Running' }],
    [
      'stays while the launcher is not there yet',
      { vmi: vmi('Scheduled'), launcher: 'absent' },
      { phase: 'Scheduled' },
    ],
    ['stays before the guest is started', { vmi: vmi('Scheduled'), domain: domain('Shutoff') }, { phase: 'Scheduled' }],
    [
      'is Succeeded after a power-off',
      { vmi: vmi('Running'), domain: domain('Shutoff', 'Shutdown') },
      { phase: 'Succeeded' },
    ],
    [
      'keeps its verdict when the launcher is gone too',
      { vmi: vmi('Running'), domain: domain('Shutoff', 'Shutdown'), launcher: 'dead' },
      { phase: 'Succeeded' },
    ],
    [
      'is Failed after a crash',
      { vmi: vmi('Running'), domain: domain('Shutoff', 'Crashed') },
      { phase: 'Failed', reason: 'Crashed' },
    ],
    [
      'is Failed after a panic',
      { vmi: vmi('Running'), domain: domain('Crashed', 'Panicked') },
      { phase: 'Failed', reason: 'Panicked' },
    ],
    [
      'is Failed when QEMU did not start',
      { vmi: vmi('Scheduled'), domain: domain('Shutoff', 'Failed') },
      { phase: 'Failed', reason: 'GuestNotStarted' },
    ],
    [
      'is not Running while QEMU may still refuse what it is asked for',
      { vmi: vmi('Scheduled'), domain: domain('Paused', 'StartingUp') },
      { phase: 'Scheduled' },
    ],
    [
      'is Failed when the grace period was too short',
      { vmi: vmi('Running'), domain: domain('Shutoff', 'Destroyed') },
      { phase: 'Failed', reason: 'Destroyed' },
    ],
    [
      'is Succeeded when no grace was wanted',
      { vmi: vmi('Running', { grace: 0 }), domain: domain('Shutoff', 'Destroyed') },
      { phase: 'Succeeded' },
    ],
    [
      'is Succeeded when the guest could not be asked',
      { vmi: vmi('Running', { acpi: false }), domain: domain('Shutoff', 'Destroyed') },
      { phase: 'Succeeded' },
    ],
    [
      'is Failed when its memory was torn apart by a move that broke off',
      { vmi: vmi('Running'), domain: domain('Paused', 'PostcopyFailed') },
      { phase: 'Failed', reason: 'PostcopyFailed' },
    ],
    [
      'stays while its target has not said that it took the guest',
      { vmi: vmi('Running'), domain: domain('Shutoff', 'Migrated') },
      { phase: 'Running' },
    ],
    [
      'is Failed when the guest has left and its target ended with it',
      { vmi: withMove({ failed: true }), domain: domain('Shutoff', 'Migrated') },
      { phase: 'Failed', reason: 'LostAtTarget' },
    ],
    [
      'is Failed when what was left of a guest was ended, grace or not',
      { vmi: withMove({ failed: true }, 'lost'), domain: domain('Shutoff', 'Destroyed') },
      { phase: 'Failed', reason: 'LostAtTarget' },
    ],
    [
      'is Failed when the launcher has died',
      { vmi: vmi('Running'), domain: domain('Running'), launcher: 'dead' },
      { phase: 'Failed', reason: 'LauncherGone' },
    ],
    ['is Failed when the domain has vanished', { vmi: vmi('Running') }, { phase: 'Failed', reason: 'DomainGone' }],
    ['never leaves a final phase', { vmi: vmi('Failed'), domain: domain('Shutoff', 'Shutdown') }, { phase: 'Failed' }],
    ['is not touched before the hand-over', { vmi: vmi('Scheduling') }, { phase: 'Scheduling' }],
  ])('%s', (_, state, verdict) => {
    expect(verdictOf(seen(state) as Parameters<typeof verdictOf>[0])).toEqual(verdict)
  })
})

test('a guest is asked every five seconds until its time is up', () => {
  expect(shutdownStep(30, { firstMs: 0 }, 0)).toEqual({ kind: 'signal', againAfterMs: 5_000 })
  expect(shutdownStep(30, { firstMs: 0, lastMs: 0 }, 1_000)).toEqual({ kind: 'wait', againAfterMs: 4_000 })
  expect(shutdownStep(30, { firstMs: 0, lastMs: 22_000 }, 27_000)).toEqual({ kind: 'signal', againAfterMs: 3_000 })
  expect(shutdownStep(30, { firstMs: 0, lastMs: 27_000 }, 30_000)).toEqual({ kind: 'kill' })
  expect(shutdownStep(0, { firstMs: 0 }, 0)).toEqual({ kind: 'kill' })
})
