import { expect } from '@jest/globals'
import type { Node } from '@kubevirt-ts/api'
import { ensure, eventually } from '../framework/eventually.ts'
import { nodeOf } from '../framework/faults.ts'
import { apply, get, getVmi, gone, inLauncher, kubectl, launcherOf, vmiInPhase } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { onNode } from '../framework/node.ts'
import { patchKubeVirt } from '../framework/product.ts'
import { scenario } from '../framework/scenario.ts'
import { tinyVmi } from '../manifests/vms.ts'

const card = 'e2e.test/card'
const stick = 'e2e.test/stick'

/**
 * What the node's kernel would show if it had a card for VFIO and two USB sticks, over its own files and for its own
 * processes only. Their device files lead to /dev/null, which no hypervisor takes for the device.
 */
const pretend = `set -e
mount -t tmpfs pretended /sys/bus
pci=/sys/bus/pci/devices/0000:65:00.0
mkdir -p $pci /sys/bus/pci/drivers/vfio-pci
echo 0x10de > $pci/vendor; echo 0x1eb8 > $pci/device; echo -1 > $pci/numa_node
ln -s ../../drivers/vfio-pci $pci/driver
ln -s ../../../../kernel/iommu_groups/12 $pci/iommu_group
mkdir -p /dev/vfio /dev/bus
mount -t tmpfs -o mode=755 pretended /dev/vfio
mount -t tmpfs -o mode=755 pretended /dev/bus
mknod /dev/vfio/vfio c 1 3
mknod /dev/vfio/12 c 1 3
mkdir -p /dev/bus/usb/001
for number in 5 6; do
  usb=/sys/bus/usb/devices/1-$number
  mkdir -p $usb
  echo 46f4 > $usb/idVendor; echo 0001 > $usb/idProduct; echo 1 > $usb/busnum; echo $number > $usb/devnum
  mknod /dev/bus/usb/001/00$number c 1 3
done`

const unpretend = 'umount /sys/bus /dev/vfio /dev/bus; rmdir /dev/vfio /dev/bus || true'

/** What a guest's pod sees of each, and why libvirt cannot give it to the guest. */
const devices = [
  {
    name: 'stick',
    deviceName: stick,
    // The guest has a controller for it; what is missing is the bus, as libvirt looks into its own sysfs.
    said: /sys.bus.usb.devices/,
    seen: { USB_RESOURCE_E2E_TEST_STICK: expect.stringMatching(/^1:[56]$/), owners: [107] },
  },
  {
    name: 'card',
    deviceName: card,
    said: /passthrough of host PCI devices/,
    seen: { PCI_RESOURCE_E2E_TEST_CARD: '0000:65:00.0', owners: [107, 107] },
  },
]

const permittedHostDevices = {
  pciHostDevices: [{ pciVendorSelector: '10DE:1EB8', resourceName: card }],
  usb: [{ resourceName: stick, selectors: [{ vendor: '46f4', product: '0001' }] }],
}

/** Permitted devices of the host, against a real kubelet; the devices are pretended, so that no guest can use them. */
export function hostDevicesChapter(): void {
  if (process.env['E2E_DEVICES'] !== '1') return
  const namespace = testNamespace('host-devices')

  const refusedWith = async ({ name, deviceName, said, seen }: (typeof devices)[number]): Promise<void> => {
    const manifest = tinyVmi({ name, namespace, graceSeconds: 0 })
    Object.assign(manifest.spec.domain.devices, { hostDevices: [{ name, deviceName }] })
    await apply(manifest)
    await eventually('the VMI says why its device is none', async () => {
      const { status } = await getVmi(namespace, name)
      const told = status?.conditions?.find(({ type }) => type === 'Synchronized')
      ensure(told?.status === 'False' && said.test(told.message ?? ''), JSON.stringify(status?.conditions))
    })
    const pod = await launcherOf(namespace, (await getVmi(namespace, name)).metadata.uid ?? '')
    expect(JSON.parse(await inLauncher(pod, seenInPod))).toEqual(seen)
    await kubectl('delete', 'vmi', name, '-n', namespace, '--timeout=120s')
    await gone('vmi', namespace, name)
  }

  scenario(
    'permitted devices are the node’s, a guest’s pod gets them, and they are gone when they are forbidden',
    async () => {
      const node = await nodeOf('virt-handler')
      await onNode(node, 'sh', '-c', pretend)
      try {
        await configure({ permittedHostDevices })
        await allocatable(node, { [card]: '1', [stick]: '2' })

        for (const device of devices) await refusedWith(device)

        await onNode(node, 'rm', '/dev/vfio/12')
        await allocatable(node, { [card]: '0', [stick]: '2' })
        await onNode(node, 'mknod', '/dev/vfio/12', 'c', '1', '3')
        await allocatable(node, { [card]: '1', [stick]: '2' })
        await onNode(node, 'rm', '-r', '/sys/bus/usb/devices/1-6')
        await allocatable(node, { [card]: '1', [stick]: '1' })

        // A kubelet that starts again knows no plugin, and takes no pod that needs one until they have told it.
        await onNode(node, 'sh', '-c', 'kill -9 $(pidof kubelet)')
        await apply(tinyVmi({ name: 'later', namespace, graceSeconds: 0 }))
        await vmiInPhase(namespace, 'later', 'Running', { timeoutMs: 180_000 })
        await allocatable(node, { [card]: '1', [stick]: '1' })
        await kubectl('delete', 'vmi', 'later', '-n', namespace, '--timeout=120s')

        await configure({ permittedHostDevices: null })
        await allocatable(node, { [card]: '0', [stick]: '0' })
      } finally {
        await configure({ permittedHostDevices: null })
        await onNode(node, 'sh', '-c', unpretend)
      }
    },
    600_000,
  )
}

const configure = (configuration: object): Promise<string> => patchKubeVirt({ configuration })

/** Waits until the node can give so many to pods; the kubelet writes that every ten seconds. */
const allocatable = (node: string, wanted: Readonly<Record<string, string>>): Promise<void> =>
  eventually(`node ${node} has ${JSON.stringify(wanted)}`, async () => {
    const { status } = await get<Node>('node', '', node)
    const has = Object.fromEntries(Object.keys(wanted).map((resource) => [resource, status?.allocatable?.[resource]]))
    ensure(JSON.stringify(has) === JSON.stringify(wanted), JSON.stringify(has))
  })

const seenInPod = `
const { existsSync, readdirSync, statSync } = require('node:fs')
const there = ['/dev/vfio', '/dev/bus/usb/001'].filter((folder) => existsSync(folder))
const nodes = there.flatMap((folder) => readdirSync(folder).map((name) => folder + '/' + name))
const given = Object.entries(process.env).filter(([name]) => name.includes('_RESOURCE_E2E_'))
console.log(JSON.stringify({ ...Object.fromEntries(given), owners: nodes.map((path) => statSync(path).uid) }))`
