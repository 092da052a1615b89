import { describe, expect, test } from '@jest/globals'
import type { VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { volumeToAdd } from './volume-request.ts'
import { vmChange, vmiChange } from './volumes.ts'

const settings = (...gates: string[]) => ({ configuration: {}, isEnabled: (gate: string) => gates.includes(gate) })
const domain = { devices: { disks: [{ name: 'root' }] } }
const volumes = [{ name: 'root', containerDisk: { image: 'i' } }]
const vm = (spec: object = { domain, volumes }, status?: object) =>
  ({ metadata: { name: 'a' }, spec: { template: { spec } }, ...(status && { status }) }) as unknown as VirtualMachine
const vmi = (metadata: object = {}, spec: object = { domain, volumes }, phase = 'Running') =>
  ({
    metadata: { name: 'a', namespace: 'n', ...metadata },
    spec,
    status: { phase },
  }) as unknown as VirtualMachineInstance

const add = {
  addVolumeOptions: volumeToAdd({ name: 'v', disk: { name: '' }, volumeSource: { dataVolume: { name: 'd' } } }),
}
const remove = { removeVolumeOptions: { name: 'v' } }
const plugged = { name: 'v', dataVolume: { name: 'd', hotpluggable: true } }

test('the disk gets the volume’s name, and the claim is hot-pluggable', () => {
  expect(add.addVolumeOptions).toEqual({
    name: 'v',
    disk: { name: 'v' },
    volumeSource: { dataVolume: { name: 'd', hotpluggable: true } },
  })
})

test.each([
  [{}, /name/],
  [{ name: 'v' }, /disk/],
  [{ name: 'v', disk: { name: 'v' } }, /VolumeSource/],
])('%j is not complete', (options, message) => {
  expect(() => volumeToAdd(options)).toThrow(
    expect.objectContaining({ code: 400, message: expect.stringMatching(message) }),
  )
})

describe('on a VM', () => {
  test('with HotplugVolumes a request joins the queue in the status', () => {
    const queued = vm(undefined, { volumeRequests: [{ removeVolumeOptions: { name: 'x' } }] })
    expect(vmChange(queued, add, settings('HotplugVolumes'))).toEqual({
      on: 'vm/status',
      patch: [
        { op: 'test', path: '/status/volumeRequests', value: [{ removeVolumeOptions: { name: 'x' } }] },
        { op: 'add', path: '/status/volumeRequests', value: [{ removeVolumeOptions: { name: 'x' } }, add] },
      ],
    })
  })

  test('else the template gets the volume and its disk', () => {
    expect(vmChange(vm(), add, settings())).toEqual({
      on: 'vm',
      patch: [
        { op: 'test', path: '/spec/template/spec/volumes', value: volumes },
        { op: 'add', path: '/spec/template/spec/volumes', value: [...volumes, plugged] },
        { op: 'test', path: '/spec/template/spec/domain/devices/disks', value: [{ name: 'root' }] },
        { op: 'add', path: '/spec/template/spec/domain/devices/disks', value: [{ name: 'root' }, { name: 'v' }] },
      ],
    })
  })

  test('an empty drive of that name gets the volume', () => {
    const drive = { devices: { disks: [{ name: 'v', cdrom: { bus: 'sata' } }] } }
    expect(vmChange(vm({ domain: drive }), add, settings()).patch.at(-1)).toMatchObject({ value: drive.devices.disks })
  })

  test.each([
    ['a name that is taken', { domain, volumes: [{ name: 'v', emptyDisk: {} }] }, add, /with that name already exists/],
    [
      'a claim that is in use',
      { domain, volumes: [{ ...plugged, name: 'w' }] },
      add,
      /source \[d\] because it already exists/,
    ],
    ['a removal of nothing', { domain }, remove, /because it does not exist/],
    [
      'a removal of a fixed volume',
      { domain, volumes: [{ name: 'v', emptyDisk: {} }] },
      remove,
      /because it is not hotpluggable/,
    ],
  ])('%s is a conflict', (_, spec, request, message) => {
    expect(() => vmChange(vm(spec), request, settings())).toThrow(
      expect.objectContaining({ code: 409, message: expect.stringMatching(message) }),
    )
  })

  test('a request that waits already is a conflict', () => {
    const queued = vm(undefined, { volumeRequests: [add] })
    expect(() => vmChange(queued, add, settings('HotplugVolumes'))).toThrow(expect.objectContaining({ code: 409 }))
  })
})

describe('on a running guest', () => {
  test('a volume and its disk leave the spec', () => {
    const spec = { domain: { devices: { disks: [{ name: 'v' }] } }, volumes: [plugged] }
    expect(vmiChange(vmi({}, spec), remove, settings()).patch.filter(({ op }) => op === 'add')).toEqual([
      { op: 'add', path: '/spec/volumes', value: [] },
      { op: 'add', path: '/spec/domain/devices/disks', value: [] },
    ])
  })

  test.each([
    [
      'one that follows its VM',
      vmi({ ownerReferences: [{ kind: 'VirtualMachine', controller: true }] }),
      400,
      /is owned by a VM/,
    ],
    ['one that does not run', vmi({}, undefined, 'Scheduled'), 409, /not running/],
  ])('%s is refused', (_, guest, code, message) => {
    expect(() => vmiChange(guest, add, settings())).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    )
  })
})
