import type { DomainSpec } from './spec.ts'
import { readXml, XmlError } from './xml-read.ts'
import { writeXml, type XmlElement } from './xml-write.ts'

/** A domain as libvirt's XML. Elements are written in the order of the object's keys; libvirt takes any. */
export function toXml(domain: DomainSpec): string {
  return writeXml('domain', domain as unknown as XmlElement)
}

/**
 * Reads what libvirt says of a domain. The opposite of `toXml`, but for numbers, which are read as strings.
 * Throws `XmlError` for text that is no domain.
 */
export function parseDomain(xml: string): DomainSpec {
  const { name, element } = readXml(xml, repeats)
  if (name !== 'domain' || typeof element === 'string') throw new XmlError(`<${name}> instead of <domain>`, 0)
  const spec = { name: '', memory: { _: '0' }, os: { type: { _: '' } }, ...withOwnMetadataName(element) } as DomainSpec
  return { ...spec, devices: spec.devices ?? {} }
}

// Parent and child; elements of the same name elsewhere occur once, a disk's serial for example.
const devices =
  'interface channel hostdev controller video graphics disk input serial console watchdog rng filesystem redirdev sound tpm memory panic audio'

const repeated: ReadonlySet<string> = new Set([
  ...devices.split(' ').map((device) => `devices/${device}`),
  'vcpus/vcpu',
  'cpu/feature',
  'numa/cell',
  'distances/sibling',
  'cputune/vcpupin',
  'cputune/iothreadpin',
  'cputune/vcpusched',
  'iothreads/iothread',
  'qemu:commandline/qemu:arg',
  'numatune/memnode',
  'hugepages/page',
  'firmware/feature',
  'acpi/table',
  'system/entry',
  'bios/entry',
  'baseBoard/entry',
  'chassis/entry',
  'clock/timer',
  'interface/portForward',
  'portForward/range',
])

function repeats(parent: string, child: string): boolean {
  return repeated.has(`${parent}/${child}`)
}

/** libvirt may give KubeVirt's metadata a prefix of its own: `<kubevirt:kubevirt>` is `<kubevirt>`, and so below it. */
function withOwnMetadataName(domain: XmlElement): XmlElement {
  const metadata = domain.metadata
  if (typeof metadata !== 'object' || Array.isArray(metadata)) return domain
  return { ...domain, metadata: withoutPrefix(metadata as XmlElement) }
}

function withoutPrefix(element: XmlElement): XmlElement {
  const entries = Object.entries(element).map(([key, value]) => {
    const plain = typeof value === 'object' && !Array.isArray(value) ? withoutPrefix(value as XmlElement) : value
    return [key.startsWith('$') ? key : key.replace(/^kubevirt:/, ''), plain]
  })
  return Object.fromEntries(entries) as XmlElement
}
