import { expect, test } from '@jest/globals'
import type { ContainerState, Pod } from '@kubevirt-ts/api'
import { howItEnded, containerProblem, isReadyForHandOver } from './pod-state.ts'

interface Container {
  readonly name: string
  readonly ready?: boolean
  readonly state: ContainerState
}

function pod(phase: string, containers: readonly Container[], more: Partial<NonNullable<Pod['status']>> = {}): Pod {
  const statuses = containers.map(({ name, ready = false, state }) => ({
    name,
    ready,
    state,
    image: 'i',
    imageID: '',
    restartCount: 0,
  }))
  return {
    metadata: { name: 'p' },
    spec: { containers: containers.map(({ name }) => ({ name, image: `wanted/${name}` })) },
    status: { phase, containerStatuses: statuses, ...more },
  }
}

const running = { running: {} }

test.each<[what: string, pod: Pod, ready: boolean]>([
  ['compute runs, its readiness does not matter', pod('Running', [{ name: 'compute', state: running }]), true],
  [
    'a helper is not ready',
    pod('Running', [
      { name: 'compute', state: running },
      { name: 'volumeroot', state: running },
    ]),
    false,
  ],
  [
    'all helpers are ready',
    pod('Running', [
      { name: 'compute', state: running },
      { name: 'volumeroot', ready: true, state: running },
    ]),
    true,
  ],
  ['compute waits', pod('Running', [{ name: 'compute', ready: true, state: { waiting: {} } }]), false],
  ['the pod is pending', pod('Pending', [{ name: 'compute', state: running }]), false],
  ['nothing is known of the containers', pod('Running', []), false],
])('hand-over when %s: %#', (_, object, ready) => {
  expect(isReadyForHandOver(object)).toBe(ready)
})

test('an image that cannot be pulled is named as the spec names it', () => {
  const waiting = { reason: 'ErrImagePull', message: 'not found' }
  expect(containerProblem(pod('Pending', [{ name: 'volumeroot', state: { waiting } }]))).toEqual({
    reason: 'ErrImagePull',
    message: 'container volumeroot cannot pull image wanted/volumeroot: not found',
  })
  expect(
    containerProblem(pod('Pending', [{ name: 'compute', state: { waiting: { reason: 'ContainerCreating' } } }])),
  ).toBeUndefined()
})

test.each(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'])(
  'a container that cannot be made is named with its pod: %s',
  (reason) => {
    const waiting = { reason, message: 'secret "keys" not found' }
    expect(containerProblem(pod('Pending', [{ name: 'compute', state: { waiting } }]))).toEqual({
      reason,
      message: 'container compute of pod p cannot be started: secret "keys" not found',
    })
  },
)

test('the container that ended a pod is named, else the kubelet is quoted', () => {
  const terminated = { exitCode: 128, reason: 'StartError', message: 'no such file' }
  expect(howItEnded(pod('Failed', [{ name: 'volumeroot', state: { terminated } }]))).toBe(
    'container volumeroot of virt-launcher pod p ended with code 128 (StartError: no such file)',
  )
  expect(howItEnded(pod('Failed', [], { reason: 'Evicted', message: 'low on memory' }))).toBe(
    'virt-launcher pod p ended: Evicted: low on memory',
  )
})
