import { describe, expect, test } from '@jest/globals'
import type { VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { restartChange } from './restart.ts'
import { startChange } from './start.ts'
import { stopChanges } from './stop.ts'

const vm = (spec: object, status?: object) =>
  ({ metadata: { name: 'a', namespace: 'n' }, spec, ...(status && { status }) }) as unknown as VirtualMachine
const vmi = (phase: string, spec: object = {}) =>
  ({ metadata: { name: 'a', namespace: 'n', uid: 'u1' }, spec, status: { phase } }) as unknown as VirtualMachineInstance

const asked = (value: object[]) => ({ op: 'add', path: '/status', value: { stateChangeRequests: value } })

describe('starting', () => {
  test('a halted VM sets its run strategy to Always, guarded by what was seen', () => {
    expect(startChange(vm({ runStrategy: 'Halted' }), undefined, false)).toEqual({
      on: 'vm',
      patch: [
        { op: 'test', path: '/spec/runStrategy', value: 'Halted' },
        { op: 'replace', path: '/spec/runStrategy', value: 'Always' },
      ],
    })
  })

  test('a VM that uses `running` keeps that form', () => {
    expect(startChange(vm({ running: false }), undefined, false).patch[1]).toEqual({
      op: 'replace',
      path: '/spec/running',
      value: true,
    })
  })

  test('a halted VM paused asks its controller, since a strategy can not say paused', () => {
    expect(startChange(vm({ runStrategy: 'Halted' }), undefined, true).patch).toEqual([
      asked([{ action: 'Start', data: { paused: 'true' } }]),
    ])
  })

  test('a manual VM whose guest ended clears it away first', () => {
    expect(startChange(vm({ runStrategy: 'Manual' }), vmi('Failed'), false).patch).toEqual([
      asked([{ action: 'Stop', uid: 'u1' }, { action: 'Start' }]),
    ])
  })

  test('requests join an empty queue guarded, and clear an old failure', () => {
    const status = { startFailure: { consecutiveFailCount: 1 } }
    expect(startChange(vm({ runStrategy: 'Manual' }, status), undefined, false).patch).toEqual([
      { op: 'test', path: '/status/stateChangeRequests', value: null },
      { op: 'add', path: '/status/stateChangeRequests', value: [{ action: 'Start' }] },
      { op: 'remove', path: '/status/startFailure' },
    ])
  })

  test.each([
    ['a running VM', vm({ runStrategy: 'Manual' }), vmi('Running'), 409, /VM is already running/],
    ['an Always VM', vm({ runStrategy: 'Always' }), undefined, 409, /Always does not support manual start requests/],
    ['a RerunOnFailure VM that failed', vm({ runStrategy: 'RerunOnFailure' }), vmi('Failed'), 409, /from failed state/],
    [
      'a VM with requests under way',
      vm({ runStrategy: 'Manual' }, { stateChangeRequests: [{ action: 'Stop' }] }),
      undefined,
      500,
      /stop\/start already underway/,
    ],
  ])('%s is refused', (_, machine, guest, code, message) => {
    expect(() => startChange(machine, guest, false)).toThrow(message)
    expect(() => startChange(machine, guest, false)).toThrow(expect.objectContaining({ code }))
  })
})

describe('stopping', () => {
  test('an Always VM sets its run strategy to Halted, whether a guest is there or not', () => {
    expect(stopChanges(vm({ runStrategy: 'Always' }), undefined, undefined)[0]!.patch[1]).toMatchObject({
      value: 'Halted',
    })
  })

  test('an Always VM that is being restarted does not come back', () => {
    const status = { stateChangeRequests: [{ action: 'Stop', uid: 'u1' }, { action: 'Start' }] }
    const [first, ...rest] = stopChanges(vm({ runStrategy: 'Always' }, status), vmi('Running'), undefined)
    expect(first).toEqual({
      on: 'vm/status',
      patch: [{ op: 'add', path: '/status/stateChangeRequests', value: [{ action: 'Stop', uid: 'u1' }] }],
    })
    expect(rest).toMatchObject([{ on: 'vm', patch: [{ op: 'test' }, { value: 'Halted' }] }])
  })

  test('a manual VM asks for the end of this one guest', () => {
    expect(stopChanges(vm({ runStrategy: 'Manual' }), vmi('Running'), undefined)[0]!.patch).toEqual([
      asked([{ action: 'Stop', uid: 'u1' }]),
    ])
  })

  test('a grace period is given to the guest first', () => {
    const changes = stopChanges(vm({ runStrategy: 'Always' }), vmi('Running', { terminationGracePeriodSeconds: 60 }), 5)
    expect(changes[0]).toEqual({
      on: 'vmi',
      patch: [
        { op: 'test', path: '/spec/terminationGracePeriodSeconds', value: 60 },
        { op: 'replace', path: '/spec/terminationGracePeriodSeconds', value: 5 },
      ],
    })
    expect(changes).toHaveLength(2)
  })

  test.each([
    ['a halted VM without a guest', vm({ runStrategy: 'Halted' }), undefined, undefined, /VM is not running/],
    ['a manual VM without a guest', vm({ runStrategy: 'Manual' }), vmi('Succeeded'), undefined, /VM is not running/],
    [
      'a halted VM with no shorter grace period',
      vm({ runStrategy: 'Halted' }),
      vmi('Running', { terminationGracePeriodSeconds: 10 }),
      10,
      /shorter graceperiod/,
    ],
  ])('%s is refused', (_, machine, guest, grace, message) => {
    expect(() => stopChanges(machine, guest, grace)).toThrow(message)
  })
})

describe('restarting', () => {
  test('asks for the end of this guest and for another', () => {
    expect(restartChange(vm({ runStrategy: 'Always' }), vmi('Running')).patch).toEqual([
      asked([{ action: 'Stop', uid: 'u1' }, { action: 'Start' }]),
    ])
  })

  test.each([
    ['a halted VM', vm({ running: false }), vmi('Running'), /RunStategy Halted does not support manual restart/],
    ['a VM without a guest', vm({ runStrategy: 'Always' }), undefined, /VM is not running: Halted/],
  ])('%s is refused', (_, machine, guest, message) => {
    expect(() => restartChange(machine, guest)).toThrow(message)
  })
})
