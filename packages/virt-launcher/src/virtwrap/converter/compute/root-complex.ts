import type { Address } from '@kubevirt-ts/domain'
import type { Configurator } from '../configurator.ts'

// Slots 0 and 1 belong to the host bridge and the video card.
const firstSlot = 2

/** With the annotation all PCI devices sit directly on the root complex, as some old guests need. Must come last. */
export const rootComplex: Configurator = (domain, { vmi }) => {
  if (vmi.metadata.annotations?.['kubevirt.io/placePCIDevicesOnRootComplex'] !== 'true') return
  const {
    interface: nics = [],
    controller = [],
    disk = [],
    input = [],
    watchdog = [],
    hostdev = [],
    rng = [],
  } = domain.devices
  const onPci = [
    ...nics,
    ...hostdev.filter(({ $type }) => $type === 'pci'),
    ...controller,
    ...disk.filter(({ target }) => target.$bus === 'virtio'),
    ...input.filter(({ $bus }) => $bus === 'virtio'),
    ...watchdog,
    ...rng,
    ...(domain.devices.memballoon && domain.devices.memballoon.$model !== 'none' ? [domain.devices.memballoon] : []),
  ]
  let slot = firstSlot
  for (const device of onPci as { address?: Address }[]) {
    if (device.address) continue
    device.address = { $type: 'pci', $domain: '0x0000', $bus: '0x00', $slot: `0x${hex(slot)}`, $function: '0x0' }
    slot += 1
  }
}

function hex(number: number): string {
  return number.toString(16).padStart(2, '0')
}
