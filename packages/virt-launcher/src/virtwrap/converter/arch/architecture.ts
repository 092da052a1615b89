import { amd64 } from './amd64.ts'
import { arm64 } from './arm64.ts'
import { s390x } from './s390x.ts'

/** Firmware and the variables that belong to it; those for secure boot come with keys. */
export type EfiFiles = {
  readonly code: string
  readonly secureCode: string
  readonly vars: string
  readonly secureVars: string
}

/** What differs between the processor architectures. */
export type Architecture = {
  /** libvirt's name of it. */
  readonly name: string
  readonly hasSmbios: boolean
  readonly hasVmport: boolean
  /** Whether guests may be told that their CPUs are theirs alone. */
  readonly hintsDedicatedCpus: boolean
  /** Whether the 64-bit window of the PCI root can be closed. */
  readonly hasPciHole64: boolean
  /** Whether network cards have a ROM to boot from. */
  readonly hasOptionRoms: boolean
  /** Models that are turned off for a named CPU model unless the guest lists them. */
  readonly disabledCpuFeatures: readonly string[]
  readonly hotplugsCpus: boolean
  readonly usb: 'on demand' | 'always' | 'never'
  /** Input devices that a guest with a display has although it lists none. */
  readonly inputs: readonly { readonly type: string; readonly bus: string }[]
  /** Video of a guest that asks for none in particular. */
  readonly video: 'vga' | 'virtio'
  readonly scsiControllerModel?: string
  /** The model of virtio devices, by whether the guest wants the transitional one. */
  virtioModel(transitional: boolean): string
  /** Files of the UEFI for guests without memory encryption, under the names that distributions give them. */
  readonly efi: readonly EfiFiles[]
}

const architectures: Readonly<Record<string, Architecture>> = { amd64, arm64, s390x }

/** Throws for a name that no guest can have. */
export function architectureOf(name: string): Architecture {
  const architecture = Object.hasOwn(architectures, name) ? architectures[name] : undefined
  if (!architecture) throw new Error(`architecture ${name} is not one of ${Object.keys(architectures).join(', ')}`)
  return architecture
}
