import { describe, expect, test } from '@jest/globals'
import type { PermittedHostDevices } from '@kubevirt-ts/api'
import { devicePermissions } from '../device-nodes.ts'
import { type HostFixture, hostFixture } from './host-fixture.ts'
import { hostDevices, type Permitted, permittedDevices } from './index.ts'
import { pluginName } from './resource-name.ts'

const permissions = devicePermissions()
const node = (path: string) => ({ containerPath: path, hostPath: path, permissions })

async function offered(host: HostFixture, permitted: PermittedHostDevices): Promise<Permitted> {
  return permittedDevices(permitted, await hostDevices(host.sysfs, permitted), host.root)
}

/** Resource name -> identifiers of its units. */
const unitsOf = ({ devices }: Permitted) =>
  Object.fromEntries(devices.map(({ resourceName, units }) => [resourceName, units.map(({ id }) => id)]))

function allocated({ devices }: Permitted, resource: string, ...ids: readonly string[]) {
  const device = devices.find(({ resourceName }) => resourceName === resource)!
  return device.allocate(ids.map((id) => device.units.find((unit) => unit.id === id)!))
}

describe('PCI devices', () => {
  const t4 = { pciVendorSelector: '10DE:1EB8', resourceName: 'nvidia.com/TU104GL_Tesla_T4' }

  test('of the driver vfio-pci are offered by their group, and given by their address', async () => {
    await using host = await hostFixture()
    await host.pci('0000:65:00.0', { id: '10de:1eb8', driver: 'vfio-pci', group: '12', numaNode: 1 })
    await host.pci('0000:66:00.0', { id: '10de:1eb8', driver: 'vfio-pci', group: '13' })
    await host.pci('0000:67:00.0', { id: '10de:1eb8', driver: 'nvidia', group: '14' })
    await host.pci('0000:68:00.0', { id: '10de:1eb8', driver: 'vfio-pci' })
    await host.pci('0000:69:00.0', { id: '10de:1eb8' })
    await host.pci('0000:70:00.0', { id: '8086:1eb8', driver: 'vfio-pci', group: '15' })

    const found = await offered(host, { pciHostDevices: [t4] })
    expect(found.problems).toEqual([])
    expect(found.devices).toMatchObject([
      {
        name: 'nvidia.com-TU104GL_Tesla_T4',
        units: [
          { id: '12', files: [`${host.root}/dev/vfio/12`], numaNode: 1 },
          { id: '13', files: [`${host.root}/dev/vfio/13`] },
        ],
      },
    ])
    expect(found.devices[0]?.units[1]).not.toHaveProperty('numaNode')
    expect(allocated(found, t4.resourceName, '12', '13')).toEqual({
      envs: { PCI_RESOURCE_NVIDIA_COM_TU104GL_TESLA_T4: '0000:65:00.0,0000:66:00.0' },
      devices: [node('/dev/vfio/vfio'), node('/dev/vfio/12'), node('/dev/vfio/13')],
    })
  })

  test('of several selectors may be one resource', async () => {
    await using host = await hostFixture()
    await host.pci('0000:65:00.0', { id: '10de:1eb8', driver: 'vfio-pci', group: '12' })
    await host.pci('0000:66:00.0', { id: '10de:2236', driver: 'vfio-pci', group: '13' })
    const any = { pciVendorSelector: '10de:2236', resourceName: t4.resourceName }
    expect(unitsOf(await offered(host, { pciHostDevices: [t4, any] }))).toEqual({ [t4.resourceName]: ['12', '13'] })
  })

  test('of one group are given once, and a selector named twice counts for the last resource', async () => {
    await using host = await hostFixture()
    await host.pci('0000:65:00.0', { id: '10de:1eb8', driver: 'vfio-pci', group: '12' })
    await host.pci('0000:65:00.1', { id: '10de:1eb8', driver: 'vfio-pci', group: '12' })
    const found = await offered(host, { pciHostDevices: [t4, { ...t4, resourceName: 'example.org/gpu' }] })
    expect(unitsOf(found)).toEqual({ 'example.org/gpu': ['12'] })
    expect(allocated(found, 'example.org/gpu', '12').envs).toEqual({ PCI_RESOURCE_EXAMPLE_ORG_GPU: '0000:65:00.0' })
    expect(found.problems).toEqual([
      expect.stringMatching(/10de:1eb8 is of nvidia.com\/TU104GL_Tesla_T4 and of example.org\/gpu/),
      expect.stringMatching(/0000:65:00.1 shares IOMMU group 12 with 0000:65:00.0/),
    ])
  })

  test.each(['', '10DE', '10DE:1EB8:00', 'nvidia:t4', '10DE:1EB'])(
    'the selector "%s" is told as wrong',
    async (text) => {
      await using host = await hostFixture()
      await host.pci('0000:65:00.0', { id: '10de:1eb8', driver: 'vfio-pci', group: '12' })
      const found = await offered(host, { pciHostDevices: [{ ...t4, pciVendorSelector: text }] })
      expect(found).toEqual({ devices: [], problems: [expect.stringMatching(/is no VENDOR:DEVICE/)] })
    },
  )

  test('of a resource that somebody else provides are left to them', async () => {
    await using host = await hostFixture()
    await host.pci('0000:65:00.0', { id: '10de:1eb8', driver: 'vfio-pci', group: '12' })
    const external = { ...t4, externalResourceProvider: true }
    expect(await offered(host, { pciHostDevices: [external] })).toEqual({ devices: [], problems: [] })
  })
})

describe('mediated devices', () => {
  const uuid = '5ac3cb31-1e0e-4ee1-b7d3-4d3a4a6a1f00'
  const other = '7d2f1d1c-0d3a-4a59-a2f5-7d5d2c2b1e11'

  test('are found by the name of their type, spaces or not, or by its identifier where it has no name', async () => {
    await using host = await hostFixture()
    await host.pci('0000:65:00.0', { id: '10de:1eb8', driver: 'nvidia', numaNode: 0 })
    await host.mediatedType('0000:65:00.0', 'nvidia-222', { name: 'GRID T4-1Q', available: 0 })
    await host.mediatedType('0000:65:00.0', 'i915-GVTg_V5_4', { available: 0 })
    await host.mediated(uuid, { parent: '0000:65:00.0', typeId: 'nvidia-222', group: '20' })
    await host.mediated(other, { parent: '0000:65:00.0', typeId: 'i915-GVTg_V5_4', group: '21' })

    const found = await offered(host, {
      mediatedDevices: [
        { mdevNameSelector: 'GRID T4-1Q', resourceName: 'nvidia.com/GRID_T4-1Q' },
        { mdevNameSelector: 'i915-GVTg_V5_4', resourceName: 'intel.com/U630' },
        { mdevNameSelector: 'GRID T4-2Q', resourceName: 'nvidia.com/GRID_T4-2Q' },
      ],
    })
    expect(unitsOf(found)).toEqual({ 'nvidia.com/GRID_T4-1Q': ['20'], 'intel.com/U630': ['21'] })
    expect(found.devices[0]?.units[0]).toMatchObject({ numaNode: 0 })
    expect(allocated(found, 'nvidia.com/GRID_T4-1Q', '20')).toEqual({
      envs: { 'MDEV_PCI_RESOURCE_NVIDIA_COM_GRID_T4-1Q': uuid },
      devices: [node('/dev/vfio/vfio'), node('/dev/vfio/20')],
    })
  })

  test('of several types may be one resource', async () => {
    await using host = await hostFixture()
    await host.pci('0000:65:00.0', { id: '10de:1eb8' })
    for (const [typeId, name] of [
      ['nvidia-1', 'A'],
      ['nvidia-2', 'B'],
    ] as const)
      await host.mediatedType('0000:65:00.0', typeId, { name, available: 0 })
    await host.mediated(uuid, { parent: '0000:65:00.0', typeId: 'nvidia-1', group: '20' })
    await host.mediated(other, { parent: '0000:65:00.0', typeId: 'nvidia-2', group: '21' })
    const mediatedDevices = ['A', 'B'].map((mdevNameSelector) => ({ mdevNameSelector, resourceName: 'a.org/gpu' }))
    expect(unitsOf(await offered(host, { mediatedDevices }))).toEqual({ 'a.org/gpu': ['20', '21'] })
  })
})

describe('USB devices', () => {
  const stick = { vendor: '46f4', product: '0001' }
  const token = { vendor: '1050', product: '0407' }

  test('are offered by bus and number, and given as such', async () => {
    await using host = await hostFixture()
    await host.usb('1-2', { id: '46f4:0001', bus: 1, device: 5 })
    await host.usb('1-10', { id: '46f4:0001', bus: 1, device: 12 })
    await host.usb('2-1', { id: '46f4:0002', bus: 2, device: 3 })
    await host.usb('usb1', { id: '46f4:0001', bus: 1, device: 1 })

    const found = await offered(host, { usb: [{ resourceName: 'example.org/stick', selectors: [stick] }] })
    expect(unitsOf(found)).toEqual({ 'example.org/stick': ['1:5', '1:12'] })
    expect(allocated(found, 'example.org/stick', '1:12')).toEqual({
      envs: { USB_RESOURCE_EXAMPLE_ORG_STICK: '1:12' },
      devices: [node('/dev/bus/usb/001/012')],
    })
  })

  test('of several selectors come together, or not at all', async () => {
    await using host = await hostFixture()
    await host.usb('1-1', { id: '46f4:0001', bus: 1, device: 5 })
    await host.usb('1-2', { id: '1050:0407', bus: 1, device: 6 })
    await host.usb('1-3', { id: '46f4:0001', bus: 1, device: 7 })
    const found = await offered(host, { usb: [{ resourceName: 'example.org/set', selectors: [stick, token] }] })
    expect(unitsOf(found)).toEqual({ 'example.org/set': ['1:5+1:6'] })
    expect(allocated(found, 'example.org/set', '1:5+1:6').envs).toEqual({ USB_RESOURCE_EXAMPLE_ORG_SET: '1:5,1:6' })
  })

  test('belong to the first resource that takes them, and a wrong selector is told', async () => {
    await using host = await hostFixture()
    await host.usb('1-1', { id: '46f4:0001', bus: 1, device: 5 })
    const found = await offered(host, {
      usb: [
        { resourceName: 'example.org/wrong', selectors: [{ vendor: 'stick', product: '0001' }] },
        { resourceName: 'example.org/none' },
        { resourceName: 'example.org/theirs', selectors: [stick], externalResourceProvider: true },
        { resourceName: 'example.org/first', selectors: [stick] },
        { resourceName: 'example.org/second', selectors: [stick] },
      ],
    })
    expect(unitsOf(found)).toEqual({ 'example.org/first': ['1:5'] })
    expect(found.problems).toEqual([
      expect.stringMatching(/^example.org\/wrong: each selector needs vendor and product/),
      expect.stringMatching(/^example.org\/none: each selector/),
    ])
  })
})

describe('names of resources', () => {
  test.each([
    ['gpu', /cannot be the name/],
    ['a/b/c', /cannot be the name/],
    ['requests.kubernetes.io/gpu', /cannot be the name/],
    ['Vendor.org/gpu', /cannot be the name/],
    ['devices.kubevirt.io/kvm', /is a resource of the nodes/],
  ])('%s is refused', async (resourceName, problem) => {
    await using host = await hostFixture()
    await host.pci('0000:65:00.0', { id: '10de:1eb8', driver: 'vfio-pci', group: '12' })
    const found = await offered(host, { pciHostDevices: [{ pciVendorSelector: '10de:1eb8', resourceName }] })
    expect(found).toEqual({ devices: [], problems: [expect.stringMatching(problem)] })
  })

  test('a name of two kinds of devices is of the first', async () => {
    await using host = await hostFixture()
    await host.pci('0000:65:00.0', { id: '10de:1eb8', driver: 'vfio-pci', group: '12' })
    await host.usb('1-1', { id: '46f4:0001', bus: 1, device: 5 })
    const found = await offered(host, {
      pciHostDevices: [{ pciVendorSelector: '10de:1eb8', resourceName: 'a.org/b' }],
      usb: [{ resourceName: 'a.org/b', selectors: [{ vendor: '46f4', product: '0001' }] }],
    })
    expect(unitsOf(found)).toEqual({ 'a.org/b': ['12'] })
    expect(found.problems).toEqual([expect.stringMatching(/two kinds/)])
  })

  test('a long one still gives a short socket', () => {
    expect(pluginName('example.org/card')).toBe('example.org-card')
    expect(pluginName(`example.org/${'x'.repeat(60)}`)).toMatch(/^[\da-f]{32}$/)
  })
})

test('a host without such devices offers nothing', async () => {
  await using host = await hostFixture()
  const permitted = {
    pciHostDevices: [{ pciVendorSelector: '10de:1eb8', resourceName: 'a.org/a' }],
    mediatedDevices: [{ mdevNameSelector: 'x', resourceName: 'a.org/b' }],
    usb: [{ resourceName: 'a.org/c', selectors: [{ vendor: '46f4', product: '0001' }] }],
  }
  expect(await offered(host, permitted)).toEqual({ devices: [], problems: [] })
})
