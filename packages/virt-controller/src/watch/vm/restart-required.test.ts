import { expect, test } from '@jest/globals'
import type { VirtualMachine, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { vm, vmi } from '@kubevirt-ts/libvmi'
import { mergeConfiguration } from '@kubevirt-ts/virt-config'
import { restartReason } from './restart-required.ts'
import { noStorage } from '../storage/no-storage.ts'

const message = 'a non-live-updatable field was changed in the template spec'

type Change = (spec: VirtualMachineInstanceSpec) => void

const net = { name: 'net1', multus: { networkName: 'lan' } }
const pod = { name: 'default', pod: {} }
const volume = { name: 'data', persistentVolumeClaim: { claimName: 'data', hotpluggable: true } }
const fixedVolume = { name: 'data', persistentVolumeClaim: { claimName: 'data' } }
const disk = { name: 'data', disk: { bus: 'scsi' } }

const live: [what: string, change: Change][] = [
  ['the node selector', (spec) => (spec.nodeSelector = { a: 'b' })],
  ['tolerations', (spec) => (spec.tolerations = [{ key: 'a', operator: 'Exists' }])],
  ['affinity', (spec) => (spec.affinity = { nodeAffinity: {} })],
  ['sockets', (spec) => (spec.domain.cpu = { sockets: 2 })],
  ['memory', (spec) => (spec.domain.memory = { guest: '2Gi' })],
]

const plugged: [what: string, change: Change][] = [
  [
    'a hot-pluggable volume',
    (spec) => {
      spec.volumes = [volume]
      spec.domain.devices.disks = [disk]
    },
  ],
  [
    'a card of a secondary network',
    (spec) => {
      spec.networks = [pod, net]
      spec.domain.devices.interfaces = [
        { name: 'default', masquerade: {} },
        { name: 'net1', bridge: {} },
      ]
    },
  ],
  [
    'the state of a card',
    (spec) => (spec.domain.devices.interfaces = [{ name: 'default', masquerade: {}, state: 'down' }]),
  ],
]

const final: [what: string, change: Change][] = [
  ['the grace period', (spec) => (spec.terminationGracePeriodSeconds = 5)],
  ['cores', (spec) => (spec.domain.cpu = { cores: 2 })],
  [
    'a volume that cannot be plugged',
    (spec) => {
      spec.volumes = [fixedVolume]
      spec.domain.devices.disks = [disk]
    },
  ],
  ['the card of the pod network', (spec) => (spec.domain.devices.interfaces = [{ name: 'default', bridge: {} }])],
]

function reasonAfter(
  change: Change,
  strategy: 'LiveUpdate' | 'Stage',
  ofVm: Partial<VirtualMachine['spec']> = {},
  before: Change = () => undefined,
  taken: Change = before,
): string | undefined {
  const guest = vmi((object) => {
    object.spec.networks = [pod]
    object.spec.domain.devices.interfaces = [{ name: 'default', masquerade: {} }]
    before(object.spec)
  })
  const machine: VirtualMachine = vm(guest)
  const startedSpec = structuredClone(machine.spec)
  change(machine.spec.template.spec!)
  Object.assign(machine.spec, ofVm)
  taken(guest.spec)
  guest.spec.architecture = 'amd64'
  guest.spec.domain.machine = { type: 'q35' }
  const seen = {
    vm: machine,
    vmi: guest,
    foreignVmi: false,
    startedSpec,
    settled: true,
    dataVolumesSettled: true,
    ...noStorage,
    now: new Date(0),
    random: 0,
  }
  return restartReason(seen, mergeConfiguration({ vmRolloutStrategy: strategy }))
}

test.each(plugged)('%s needs no restart, whatever the strategy', (_what, change) => {
  expect(reasonAfter(change, 'LiveUpdate')).toBeUndefined()
  expect(reasonAfter(change, 'Stage')).toBeUndefined()
})

test.each(live)('%s changes live, or waits for the restart where the cluster says so', (_what, change) => {
  expect(reasonAfter(change, 'LiveUpdate')).toBeUndefined()
  expect(reasonAfter(change, 'Stage')).toBe(message)
})

test.each(final)('%s needs a restart', (_what, change) => {
  expect(reasonAfter(change, 'LiveUpdate')).toBe(message)
})

const onClaim =
  (claimName: string): Change =>
  (spec) => {
    spec.volumes = [{ name: 'data', persistentVolumeClaim: { claimName } }]
    spec.domain.devices.disks = [disk]
  }

test('another claim needs a restart, unless the content of its volume moves under the running guest', () => {
  expect(reasonAfter(onClaim('new'), 'LiveUpdate', {}, onClaim('old'))).toBe(message)
  expect(reasonAfter(onClaim('new'), 'LiveUpdate', { updateVolumesStrategy: 'Replacement' }, onClaim('old'))).toBe(
    message,
  )
  const moves = { updateVolumesStrategy: 'Migration' } as const
  expect(reasonAfter(onClaim('new'), 'LiveUpdate', moves, onClaim('old'))).toBeUndefined()
  expect(reasonAfter(onClaim('new'), 'Stage', moves, onClaim('old'))).toBe(message)
  const [, added] = final.find(([what]) => what === 'a volume that cannot be plugged')!
  expect(reasonAfter(added, 'LiveUpdate', moves)).toBe(message)
  const [, cores] = final.find(([what]) => what === 'cores')!
  expect(reasonAfter(cores, 'LiveUpdate', moves)).toBe(message)
})

test('a claim to which the content has moved needs no restart, whatever the VM says of later changes', () => {
  expect(reasonAfter(onClaim('new'), 'LiveUpdate', {}, onClaim('old'), onClaim('new'))).toBeUndefined()
})

/** What is stored first, and the same as virt-api's webhook or a program in Go writes it with the first edit. */
const rewritten: [what: string, before: Change, after: Change][] = [
  [
    'a value that says nothing',
    (spec) => (spec.domain.cpu = { cores: 0, threads: 0, dedicatedCpuPlacement: false }),
    (spec) => delete spec.domain.cpu,
  ],
  ['an empty text', (spec) => (spec.hostname = ''), (spec) => delete spec.hostname],
  [
    'another way to write an amount',
    (spec) => (spec.domain.resources = { limits: { memory: '1024Mi' } }),
    (spec) => (spec.domain.resources = { limits: { memory: '1Gi' } }),
  ],
  ['an empty structure', () => undefined, (spec) => (spec.domain.resources = {})],
  ['an empty list', (spec) => (spec.domain.devices.inputs = []), (spec) => delete spec.domain.devices.inputs],
  ['the architecture that it had anyway', () => undefined, (spec) => (spec.architecture = 'amd64')],
  ['the machine that it had anyway', () => undefined, (spec) => (spec.domain.machine = { type: 'q35' })],
]

test.each(rewritten)('%s is no change', (_what, before, after) => {
  for (const strategy of ['LiveUpdate', 'Stage'] as const) {
    expect(reasonAfter(after, strategy, {}, before)).toBeUndefined()
  }
})

test('a choice that looks like nothing is a change', () => {
  const rng: Change = (spec) => (spec.domain.devices.rng = {})
  const noConsole: Change = (spec) => (spec.domain.devices.autoattachSerialConsole = false)
  const arm: Change = (spec) => (spec.architecture = 'arm64')
  for (const change of [rng, noConsole, arm]) expect(reasonAfter(change, 'LiveUpdate')).toBe(message)
})
