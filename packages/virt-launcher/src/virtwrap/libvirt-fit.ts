import type { DomainSpec } from '@kubevirt-ts/domain'

/** What this host's libvirt and QEMU can do, as far as the domain depends on it. */
export type LibvirtFacts = {
  /** CPU modes that libvirt offers for the domain's virtualisation type. */
  readonly cpuModes: ReadonlySet<string>
}

/** Reads the facts out of libvirt's domain capabilities. */
export function readFacts(domainCapabilities: string): LibvirtFacts {
  const modes = domainCapabilities.matchAll(/<mode name='([\w-]+)' supported='yes'/g)
  return { cpuModes: new Set(Array.from(modes, ([, name]) => name!)) }
}

/**
 * The domain as this host can run it. An emulated CPU is no model of the host's: where libvirt refuses `host-model`
 * for it, the guest gets every feature that the emulation has.
 */
export function fitToHost(domain: DomainSpec, facts: LibvirtFacts): DomainSpec {
  const fitted = { ...domain, cpu: domain.cpu && fitCpu(domain.cpu, facts) }
  return { ...fitted, ...fitMemory(fitted) }
}

function fitCpu(cpu: NonNullable<DomainSpec['cpu']>, { cpuModes }: LibvirtFacts): DomainSpec['cpu'] {
  if (cpu.$mode === undefined || cpu.$mode === 'custom' || cpuModes.has(cpu.$mode)) return cpu
  return { ...cpu, $mode: cpuModes.has('maximum') ? 'maximum' : undefined }
}

/**
 * libvirt wants room for more memory to belong to a NUMA cell, which is the whole guest, and to have a slot, though the
 * device that fills it takes none.
 */
function fitMemory({ maxMemory, memory, vcpu, cpu }: DomainSpec): Pick<DomainSpec, 'cpu' | 'maxMemory'> {
  if (!maxMemory) return {}
  const room = { maxMemory: { ...maxMemory, $slots: '1' } }
  if (cpu?.numa || memory.$unit !== 'b') return room
  const cell = {
    $id: '0',
    $cpus: `0-${Number(vcpu?._ ?? 1) - 1}`,
    $memory: String(BigInt(memory._) / 1024n),
    $unit: 'KiB',
  }
  return { ...room, cpu: { ...cpu, numa: { cell: [cell] } } }
}
