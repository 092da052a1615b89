import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { vmi, withStatus } from '@kubevirt-ts/libvmi'
import { mergeConfiguration } from '@kubevirt-ts/virt-config'
import { liveUpdate } from './index.ts'

const configuration = mergeConfiguration({})

interface Told {
  readonly conditions?: { type: string; status: string }[]
  readonly interfaces?: { name: string }[]
  readonly sockets?: number
}

function guest(more: Told = {}) {
  return vmi(
    (object) => {
      object.spec.architecture = 'amd64'
      object.spec.domain.cpu = { cores: 2, sockets: more.sockets ?? 1, threads: 1, maxSockets: 4 }
      object.spec.domain.memory = { guest: '2Gi', maxGuest: '8Gi' }
      object.spec.volumes = []
      object.spec.domain.devices.disks = []
      object.spec.networks = [{ name: 'default', pod: {} }]
      object.spec.domain.devices.interfaces = [{ name: 'default', masquerade: {} }]
    },
    withStatus({
      phase: 'Running',
      memory: { guestAtBoot: '2Gi', guestCurrent: '2Gi', guestRequested: '2Gi' },
      conditions: (more.conditions ?? [{ type: 'LiveMigratable', status: 'True' }]) as never,
      interfaces: more.interfaces ?? [{ name: 'default' }],
    }),
  )
}

function update(
  change: (spec: VirtualMachineInstanceSpec) => void,
  running: VirtualMachineInstance = guest(),
  isLive = true,
) {
  const template = structuredClone(running.spec)
  change(template)
  return liveUpdate({ vmi: running, template, configuration }, isLive)
}

test('a guest gets more sockets, and its CPU request grows by their share', () => {
  const running = guest()
  running.spec.domain.resources = { requests: { cpu: '200m' } }
  const { spec, restart } = update((template) => (template.domain.cpu!.sockets = 3), running)
  expect(restart).toBeUndefined()
  expect(spec.domain.cpu).toEqual({ cores: 2, sockets: 3, threads: 1, maxSockets: 4 })
  expect(spec.domain.resources?.requests).toEqual({ cpu: '600m' })
})

test('a template with no sockets, or 0, leaves the guest those it has', () => {
  for (const sockets of [undefined, 0]) {
    const { spec, restart } = update((template) => (template.domain.cpu = { ...(sockets === 0 && { sockets }) }))
    expect([spec.domain.cpu?.sockets, restart]).toEqual([1, undefined])
  }
})

test('a guest gets more memory, and its memory limit grows with it', () => {
  const running = guest()
  running.spec.domain.resources = { limits: { memory: '3Gi' } }
  const { spec } = update((template) => (template.domain.memory!.guest = '4Gi'), running)
  expect(spec.domain.memory).toEqual({ guest: '4Gi', maxGuest: '8Gi' })
  expect(spec.domain.resources?.limits).toEqual({ memory: '5Gi' })
})

const memoryTo =
  (size: string) =>
  (spec: VirtualMachineInstanceSpec): void =>
    void (spec.domain.memory!.guest = size)
const socketsTo =
  (count: number) =>
  (spec: VirtualMachineInstanceSpec): void =>
    void (spec.domain.cpu!.sockets = count)

test.each<
  [what: string, change: (spec: VirtualMachineInstanceSpec) => void, running: VirtualMachineInstance, why: string]
>([
  [
    'more sockets than it may have',
    socketsTo(5),
    guest(),
    "CPU sockets updated in template spec to a value higher than what's available",
  ],
  ['fewer sockets', socketsTo(1), guest({ sockets: 2 }), 'Reduction of CPU socket count requires a restart'],
  [
    'less memory than at its start',
    memoryTo('1Gi'),
    guest(),
    'memory updated in template spec to a value lower than what the VM started with',
  ],
  [
    'more memory than it may have',
    memoryTo('16Gi'),
    guest(),
    "memory updated in template spec to a value higher than what's available",
  ],
  [
    'other memory while it cannot move',
    memoryTo('4Gi'),
    guest({ conditions: [{ type: 'LiveMigratable', status: 'False' }] }),
    'memory updated in template spec. Memory-hotplug is only available for migratable VMs',
  ],
  [
    'other memory after that failed',
    memoryTo('4Gi'),
    guest({ conditions: [{ type: 'HotMemoryChange', status: 'False' }] }),
    'memory updated in template spec. Memory-hotplug failed and is not available for this VM configuration',
  ],
  [
    'memory in odd pieces',
    memoryTo('2049Mi'),
    guest(),
    'memory updated in template spec. Memory-hotplug is not available for this VM configuration',
  ],
])('a guest that is to get %s must be started anew', (_what, change, running, why) => {
  const result = update(change, running)
  expect(result.restart).toBe(why)
  expect(result.spec.domain).toEqual(running.spec.domain)
})

test('one change of CPUs or memory follows the other', () => {
  const changing = [
    { type: 'LiveMigratable', status: 'True' },
    { type: 'HotVCPUChange', status: 'True' },
    { type: 'HotMemoryChange', status: 'True' },
  ]
  const running = guest({ conditions: changing })
  const result = update((spec) => {
    socketsTo(2)(spec)
    memoryTo('4Gi')(spec)
  }, running)
  expect(result).toEqual({ spec: expect.objectContaining({ domain: running.spec.domain }) })
})

test('where the guest may run is taken over, and taken back', () => {
  const running = guest()
  running.spec.nodeSelector = { old: 'true' }
  const { spec } = update((template) => {
    delete template.nodeSelector
    template.tolerations = [{ key: 'gpu', operator: 'Exists' }]
  }, running)
  expect(spec.nodeSelector).toBeUndefined()
  expect(spec.tolerations).toEqual([{ key: 'gpu', operator: 'Exists' }])
})

test('without live updates only what can be plugged is taken over', () => {
  const { spec, restart } = update(
    (template) => {
      template.nodeSelector = { a: 'b' }
      memoryTo('16Gi')(template)
    },
    guest(),
    false,
  )
  expect(restart).toBeUndefined()
  expect(spec).toEqual(guest().spec)
})

const lan = { name: 'lan', multus: { networkName: 'lan' } }

function withLan(spec: VirtualMachineInstanceSpec, state?: string, definition = 'lan'): void {
  spec.networks = [
    { name: 'default', pod: {} },
    { ...lan, multus: { networkName: definition } },
  ]
  const card = { name: 'lan', bridge: {}, ...(state === undefined ? {} : { state }) }
  spec.domain.devices.interfaces = [{ name: 'default', masquerade: {} }, card]
}

test('a card of a secondary network is plugged in', () => {
  const { spec } = update((template) => withLan(template))
  expect(spec.networks).toContainEqual(lan)
  expect(spec.domain.devices.interfaces).toContainEqual({ name: 'lan', bridge: {} })
})

test('a card is marked as absent first, and leaves the spec when nobody reports it', () => {
  const running = guest({ interfaces: [{ name: 'default' }, { name: 'lan' }] })
  withLan(running.spec)
  const marked = update((template) => withLan(template, 'absent'), running)
  expect(marked.spec.domain.devices.interfaces).toContainEqual({ name: 'lan', bridge: {}, state: 'absent' })

  const gone = guest()
  withLan(gone.spec, 'absent')
  const { spec } = update((template) => withLan(template, 'absent'), gone)
  expect(spec.domain.devices.interfaces?.map(({ name }) => name)).toEqual(['default'])
  expect(spec.networks?.map(({ name }) => name)).toEqual(['default'])
})

test('another definition of a network and the state of a link are taken over', () => {
  const running = guest({ interfaces: [{ name: 'default' }, { name: 'lan' }] })
  withLan(running.spec)
  const { spec } = update((template) => withLan(template, 'down', 'other'), running)
  expect(spec.networks).toContainEqual({ name: 'lan', multus: { networkName: 'other' } })
  expect(spec.domain.devices.interfaces).toContainEqual({ name: 'lan', bridge: {}, state: 'down' })
})
