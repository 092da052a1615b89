import type { Launcher } from '../launcher.ts'

export type DomainStats = {
  readonly name: string
  readonly uuid: string
  readonly memory: { readonly totalKiB: number; readonly availableKiB: number }
  readonly cpu: { readonly timeNs: string; readonly vcpus: number }
}

/** CPU and memory of the guest as libvirt counts them; undefined without a domain. */
export async function getDomainStats({ libvirt }: Launcher): Promise<DomainStats | undefined> {
  return libvirt.ask(async (domain) => {
    if (!domain) return undefined
    const { maxMemory, memory, vcpus, cpuTimeNs } = await domain.info()
    return {
      name: domain.name,
      uuid: '',
      memory: { totalKiB: maxMemory, availableKiB: memory },
      cpu: { timeNs: String(cpuTimeNs), vcpus },
    }
  })
}
