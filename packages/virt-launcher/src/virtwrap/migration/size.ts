import { stat } from 'node:fs/promises'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { parseDomain } from '@kubevirt-ts/domain'
import { copiesDisks } from '@kubevirt-ts/vmispec'
import type { Launcher } from '../launcher.ts'
import { copiedDisks } from './copied-disks.ts'

/** Bytes that a migration moves: the guest's memory and, when its disks go along, what they hold on this node. */
export async function movedBytes(vmi: VirtualMachineInstance, { libvirt }: Launcher): Promise<number> {
  const { memory, disks } = await libvirt.ask(async (domain) => {
    if (!domain) return { memory: 0, disks: [] }
    const spec = parseDomain(await domain.xml())
    const files = copiedDisks(vmi, spec.devices.disk ?? []).flatMap(({ source }) => source.$file ?? [])
    return { memory: (await domain.info()).memory * 1024, disks: files }
  })
  if (!copiesDisks(vmi)) return memory
  const sizes = await Promise.all(
    disks.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((all, one) => all + one, memory)
}
