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
  return { ...domain, cpu: domain.cpu && fitCpu(domain.cpu, facts), ...fitMemory(domain) }
}

function fitCpu(cpu: NonNullable<DomainSpec['cpu']>, { cpuModes }: LibvirtFacts): DomainSpec['cpu'] {
  if (cpu.$mode === undefined || cpu.$mode === 'custom' || cpuModes.has(cpu.$mode)) return cpu
  return { ...cpu, $mode: cpuModes.has('maximum') ? 'maximum' : undefined }
}

/** Room for more memory needs NUMA cells in libvirt; until memory is plugged in, the guest has what it was given. */
function fitMemory({ maxMemory, cpu }: DomainSpec): Pick<DomainSpec, 'maxMemory'> {
  return { maxMemory: cpu?.numa ? maxMemory : undefined }
}
