import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * A host's /sys and /dev for tests, with the folders, links and texts that a kernel with VFIO, mediated and USB devices
 * shows. Device nodes are plain files.
 */
export interface HostFixture extends AsyncDisposable {
  readonly root: string
  readonly sysfs: string
  pci(address: string, options: PciOptions): Promise<void>
  /** A type of which the device at the address can make parts. */
  mediatedType(
    parent: string,
    typeId: string,
    options: { readonly name?: string; readonly available: number },
  ): Promise<void>
  mediated(uuid: string, options: MediatedOptions): Promise<void>
  usb(name: string, options: UsbOptions): Promise<void>
}

interface PciOptions {
  readonly id: string
  readonly driver?: string
  readonly group?: string
  readonly numaNode?: number
}

interface MediatedOptions {
  readonly parent: string
  readonly typeId: string
  readonly group: string
}

interface UsbOptions {
  readonly id: string
  readonly bus: number
  readonly device: number
}

export async function hostFixture(): Promise<HostFixture> {
  const root = await mkdtemp(join(tmpdir(), 'host-'))
  const sysfs = join(root, 'sys')
  const put = async (path: string, text = ''): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const link = async (path: string, target: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await mkdir(join(root, dirname(path), target), { recursive: true })
    await symlink(target, join(root, path))
  }
  const pciFolder = (address: string): string => `sys/devices/pci0000:00/${address}`
  const joinGroup = async (device: string, depth: string, group: string): Promise<void> => {
    await link(`${device}/iommu_group`, `${depth}/kernel/iommu_groups/${group}`)
    await put(`dev/vfio/${group}`)
  }
  await put('dev/vfio/vfio')
  return {
    root,
    sysfs,
    async pci(address, { id, driver, group, numaNode = -1 }) {
      const [vendor, device] = id.split(':')
      const folder = pciFolder(address)
      await put(`${folder}/vendor`, `0x${vendor}\n`)
      await put(`${folder}/device`, `0x${device}\n`)
      await put(`${folder}/numa_node`, `${numaNode}\n`)
      if (driver) await link(`${folder}/driver`, `../../../bus/pci/drivers/${driver}`)
      if (group) await joinGroup(folder, '../../..', group)
      await link(`sys/bus/pci/devices/${address}`, `../../../devices/pci0000:00/${address}`)
    },
    async mediatedType(parent, typeId, { name, available }) {
      const type = `${pciFolder(parent)}/mdev_supported_types/${typeId}`
      if (name !== undefined) await put(`${type}/name`, `${name}\n`)
      await put(`${type}/available_instances`, `${available}\n`)
      await put(`${type}/create`)
      await link(`sys/class/mdev_bus/${parent}`, `../../devices/pci0000:00/${parent}`).catch(ignoreExisting)
    },
    async mediated(uuid, { parent, typeId, group }) {
      const folder = `${pciFolder(parent)}/${uuid}`
      await link(`${folder}/mdev_type`, `../mdev_supported_types/${typeId}`)
      await put(`${folder}/remove`)
      await joinGroup(folder, '../../../..', group)
      await link(`sys/bus/mdev/devices/${uuid}`, `../../../devices/pci0000:00/${parent}/${uuid}`)
    },
    async usb(name, { id, bus, device }) {
      const [vendor = '', product = ''] = id.split(':')
      const folder = `sys/devices/pci0000:00/0000:00:14.0/usb${bus}/${name}`
      await put(`${folder}/idVendor`, `${vendor}\n`)
      await put(`${folder}/idProduct`, `${product}\n`)
      await put(`${folder}/busnum`, `${bus}\n`)
      await put(`${folder}/devnum`, `${device}\n`)
      await put(`${folder}/${name}:1.0/bInterfaceClass`, '08\n')
      await put(`dev/bus/usb/${String(bus).padStart(3, '0')}/${String(device).padStart(3, '0')}`)
      await link(`sys/bus/usb/devices/${name}`, `../../../devices/pci0000:00/0000:00:14.0/usb${bus}/${name}`)
      await link(
        `sys/bus/usb/devices/${name}:1.0`,
        `../../../devices/pci0000:00/0000:00:14.0/usb${bus}/${name}/${name}:1.0`,
      )
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
