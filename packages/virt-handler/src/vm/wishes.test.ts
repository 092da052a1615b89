import { describe, expect, test } from '@jest/globals'
import { type VirtualMachineInstance } from '@kubevirt-ts/api'
import { linkNames } from '@kubevirt-ts/vmispec'
import { vmi, withContainerDisk, withEmptyDisk, withMasquerade, withBridge, withoutNetwork } from '@kubevirt-ts/libvmi'
import { imageFiles } from './images.ts'
import { absentCards, cardWishes } from './network.ts'

describe('the images of a guest', () => {
  test('are told by the place of their volume, also between others', () => {
    const { spec } = vmi(withEmptyDisk('scratch', '1Gi'), withContainerDisk('root', 'os:1', { path: '/disk/os.img' }))

    expect(imageFiles(spec)).toEqual([{ socket: 'disk_1.sock', target: 'disk_1.img', path: '/disk/os.img' }])
  })

  test('hold kernel and initrd', () => {
    const { spec } = vmi()
    const container = { image: 'kernel:1', kernelPath: '/boot/vmlinuz', initrdPath: '/boot/initrd' }
    spec.domain.firmware = { kernelBoot: { container } }

    expect(imageFiles(spec)).toEqual([
      { socket: 'kernel-boot.sock', path: '/boot/vmlinuz', target: 'kernel-boot/vmlinuz' },
      { socket: 'kernel-boot.sock', path: '/boot/initrd', target: 'kernel-boot/initrd' },
    ])
  })
})

describe('the network of a guest', () => {
  const links = linkNames({ name: 'default', pod: {} })
  const secondary = (state?: string): VirtualMachineInstance => {
    const object = vmi(withMasquerade())
    object.spec.domain.devices.interfaces?.push({ name: 'blue', bridge: {}, ...(state ? { state } : {}) })
    object.spec.networks?.push({ name: 'blue', multus: { networkName: 'blue' } })
    return object
  }

  test('hides the guest behind the pod', () => {
    expect(cardWishes(vmi(withMasquerade([{ port: 80 }])), {})).toEqual([
      {
        name: 'default',
        links,
        queues: 1,
        attachment: { kind: 'masquerade', ports: [{ port: 80 }], cidr: '10.0.2.0/24', ipv6Cidr: 'fd10:0:2::/120' },
      },
    ])
  })

  test('gives the pod itself to a bridged guest', () => {
    expect(cardWishes(vmi(withBridge()), {})).toMatchObject([
      { links, attachment: { kind: 'bridge', serverAddress: '169.254.75.10' } },
    ])
  })

  test('has a queue for each processor when that is asked for', () => {
    const object = vmi(withMasquerade())
    object.spec.domain.cpu = { cores: 4 }
    object.spec.domain.devices.networkInterfaceMultiqueue = true

    expect(cardWishes(object, {})[0]?.queues).toBe(4)
  })

  test('is not built for a guest without one', () => {
    expect(cardWishes(vmi(withoutNetwork()), {})).toEqual([])
  })

  test('numbers the servers of further cards and names their links by hash', () => {
    expect(cardWishes(secondary(), {})[1]).toMatchObject({
      links: { pod: expect.stringMatching(/^pod[0-9a-f]{11}$/) },
      attachment: { serverAddress: '169.254.75.11' },
      definition: 'blue',
    })
    expect(cardWishes(secondary(), {})[0]).not.toHaveProperty('definition')
  })

  test('of a running guest waits for the link of a card that was added', () => {
    const object = secondary()
    object.status = { phase: 'Running', interfaces: [{ name: 'default', podInterfaceName: 'eth0' }] }
    expect(cardWishes(object, {}).map(({ name }) => name)).toEqual(['default'])

    object.status.interfaces?.push({ name: 'blue', infoSource: 'multus-status', podInterfaceName: 'net1' })
    expect(cardWishes(object, {})[1]).toMatchObject({ name: 'blue', links: { pod: 'net1', bridge: 'k6t-net1' } })
  })

  test('loses a card that is marked as absent', () => {
    expect(cardWishes(secondary('absent'), {}).map(({ name }) => name)).toEqual(['default'])
    expect(absentCards(secondary('absent'), {}).map(({ name }) => name)).toEqual(['blue'])
  })

  test('of a binding plugin is attached as its registration says', () => {
    const object = vmi()
    object.spec.domain.devices.interfaces = [{ name: 'default', binding: { name: 'plug' } }]
    object.spec.networks = [{ name: 'default', pod: {} }]
    const plugin = (domainAttachmentType: string) => ({ network: { binding: { plug: { domainAttachmentType } } } })

    expect(cardWishes(object, plugin('managedTap'))).toMatchObject([{ attachment: { kind: 'managedTap' } }])
    expect(cardWishes(object, plugin('tap'))).toEqual([])
  })
})
