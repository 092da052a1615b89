import type { USBHostDevice, USBSelector } from '@kubevirt-ts/api'
import { hostDeviceVariable } from '@kubevirt-ts/vmispec'
import type { PermittedResource, PermittedUnit, Selection } from './selection.ts'
import { attribute, entries } from './sysfs.ts'

export interface UsbDevice {
  readonly vendor: number
  readonly product: number
  readonly bus: number
  readonly device: number
}

/** The USB devices of the host, without the hubs that its controllers are. */
export async function usbDevices(sysfs: string): Promise<UsbDevice[]> {
  const folder = `${sysfs}/bus/usb/devices`
  const names = (await entries(folder)).filter((name) => !name.startsWith('usb'))
  const devices = await Promise.all(names.map((name) => usbDevice(`${folder}/${name}`)))
  return devices.flat().toSorted((a, b) => a.bus - b.bus || a.device - b.device)
}

/** An interface of a device, which lies beside it, has no vendor. */
async function usbDevice(path: string): Promise<UsbDevice[]> {
  const texts = await Promise.all(
    ['idVendor', 'idProduct', 'busnum', 'devnum'].map((name) => attribute(`${path}/${name}`)),
  )
  const [vendor, product, bus, device] = texts
  if (vendor === undefined || product === undefined || bus === undefined || device === undefined) return []
  return [{ vendor: parseInt(vendor, 16), product: parseInt(product, 16), bus: Number(bus), device: Number(device) }]
}

/**
 * Those that the KubeVirt resource permits. One of a resource is a device for each of its selectors, and a device
 * belongs to the first resource that has a place for it.
 */
export function permittedUsb(permitted: readonly USBHostDevice[], devices: readonly UsbDevice[]): Selection {
  const free = [...devices]
  const resources: PermittedResource[] = []
  const problems: string[] = []
  for (const { resourceName, selectors = [] } of permitted.filter((each) => !each.externalResourceProvider)) {
    const wanted = selectors.map(parseSelector)
    if (wanted.length === 0 || wanted.includes(undefined)) {
      problems.push(`${resourceName}: each selector needs vendor and product in hexadecimal digits, such as 46f4`)
      continue
    }
    const units: PermittedUnit[] = []
    for (let set = takeSet(wanted, free); set !== undefined; set = takeSet(wanted, free)) units.push(unitOf(set))
    const variable = hostDeviceVariable('USB_RESOURCE', resourceName)
    if (units.length > 0) resources.push({ resourceName, variable, units })
  }
  return { resources, problems }
}

type Numbers = Pick<UsbDevice, 'vendor' | 'product'>

function parseSelector({ vendor, product }: USBSelector): Numbers | undefined {
  if (![vendor, product].every((text) => /^[\da-f]{1,4}$/i.test(text ?? ''))) return undefined
  return { vendor: parseInt(vendor, 16), product: parseInt(product, 16) }
}

/** Takes a device for each selector out of those that are free, or none at all. */
function takeSet(wanted: readonly (Numbers | undefined)[], free: UsbDevice[]): UsbDevice[] | undefined {
  const set: UsbDevice[] = []
  for (const selector of wanted) {
    const found = free.find(
      (each) => !set.includes(each) && each.vendor === selector?.vendor && each.product === selector.product,
    )
    if (found === undefined) return undefined
    set.push(found)
  }
  for (const each of set) free.splice(free.indexOf(each), 1)
  return set
}

function unitOf(set: readonly UsbDevice[]): PermittedUnit {
  const addresses = set.map(({ bus, device }) => `${bus}:${device}`)
  const nodes = set.map(({ bus, device }) => `/dev/bus/usb/${threeDigits(bus)}/${threeDigits(device)}`)
  return { id: addresses.join('+'), addresses, nodes, shared: [] }
}

const threeDigits = (number: number): string => String(number).padStart(3, '0')
