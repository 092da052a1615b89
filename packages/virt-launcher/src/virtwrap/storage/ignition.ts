import { mkdir, writeFile } from 'node:fs/promises'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { DomainSpec } from '@kubevirt-ts/domain'
import type { Paths } from '../converter/index.ts'

/** Writes what a CoreOS guest reads from its firmware at its first boot, where the domain hands it over. */
export async function writeIgnition(vmi: VirtualMachineInstance, domain: DomainSpec, paths: Paths): Promise<void> {
  const data = vmi.metadata.annotations?.['kubevirt.io/ignitiondata']
  if (data === undefined || domain['qemu:commandline'] === undefined) return
  await mkdir(paths.ignition, { recursive: true })
  await writeFile(`${paths.ignition}/data.ign`, data)
}
