import type { Address } from '@kubevirt-ts/domain'
import { VirtError } from '@kubevirt-ts/service/error'

/** `0000:81:01.0` in libvirt's form. Throws for anything else. */
export function pciAddress(text: string): Address {
  const parts = /^([\da-fA-F]{4}):([\da-fA-F]{2}):([\da-fA-F]{2})\.([0-7])$/.exec(text)
  if (!parts) throw new VirtError('InvalidPciAddress', `${text} is not a PCI address such as 0000:81:01.0`)
  const [, domain, bus, slot, fn] = parts
  return { $type: 'pci', $domain: `0x${domain}`, $bus: `0x${bus}`, $slot: `0x${slot}`, $function: `0x${fn}` }
}
