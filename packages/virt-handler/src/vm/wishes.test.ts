import { describe, expect, test } from '@jest/globals'
import { vmi, withContainerDisk, withEmptyDisk, withMasquerade, withBridge, withoutNetwork } from '@kubevirt-ts/libvmi'
import { imageFiles } from './images.ts'
import { podNetworkWish } from './network.ts'

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
  test('hides the guest behind the pod', () => {
    expect(podNetworkWish(vmi(withMasquerade([{ port: 80 }])))).toEqual({
      interfaceName: 'default',
      podLink: 'eth0',
      masquerade: { ports: [{ port: 80 }], cidr: '10.0.2.0/24', ipv6Cidr: 'fd10:0:2::/120', queues: 1 },
    })
  })

  test('has a queue for each processor when that is asked for', () => {
    const object = vmi(withMasquerade())
    object.spec.domain.cpu = { cores: 4 }
    object.spec.domain.devices.networkInterfaceMultiqueue = true

    expect(podNetworkWish(object)?.masquerade.queues).toBe(4)
  })

  test('is not built for a guest without one', () => {
    expect(podNetworkWish(vmi(withoutNetwork()))).toBeUndefined()
  })

  test('is refused by name when this version cannot build it', () => {
    expect(() => podNetworkWish(vmi(withBridge()))).toThrow('bridge')
  })
})
