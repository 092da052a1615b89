import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { parseDomain, writeXml, type XmlElement } from '@kubevirt-ts/domain'
import { VirtError } from '@kubevirt-ts/service'
import { guestMemory } from '@kubevirt-ts/vmispec'
import type { Launcher } from '../launcher.ts'
import { plugDevice } from '../plugged-memory.ts'

/** Gives the guest the memory that its VMI asks for now, by a device that was made for what it may grow to. */
export async function syncMemory(vmi: VirtualMachineInstance, { libvirt, log }: Launcher): Promise<void> {
  const wanted = guestMemory(vmi.spec) ?? 0n
  await libvirt.change(async (domain) => {
    if (!domain) throw new VirtError('DomainNotFound', 'Domain not found.')
    const { device, isNew } = plugDevice(vmi, parseDomain(await domain.xml()), wanted)
    const xml = writeXml('memory', device as unknown as XmlElement)
    const both = { live: true, config: true }
    await (isNew ? domain.attachDevice(xml, both) : domain.updateDevice(xml, both))
    log.info({ bytes: Number(wanted) }, "the guest's memory was changed")
  })
}
