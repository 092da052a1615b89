import { virtualMachines, type VirtualMachine } from '@kubevirt-ts/api'
import { isConflict, type KubeClient } from '@kubevirt-ts/kubecli'
import type { StickySettings } from './settings.ts'

/** A home that was written but that the cache may not show yet. */
interface Written {
  readonly node: string
  readonly resourceVersion: bigint
}

const maxAttempts = 5

/** Reads and writes the homes of VMs. What was just written counts at once. */
export class Homes {
  readonly #client: KubeClient
  readonly #settings: StickySettings
  readonly #written = new Map<string, Written>()

  constructor(client: KubeClient, settings: StickySettings) {
    this.#client = client
    this.#settings = settings
  }

  /** The VM's home; `vm` as the cache shows it. */
  of(vm: VirtualMachine): string | undefined {
    const uid = vm.metadata.uid ?? ''
    const written = this.#written.get(uid)
    if (written !== undefined && versionOf(vm) < written.resourceVersion) return written.node
    this.#written.delete(uid)
    return this.#annotated(vm)
  }

  /**
   * Writes the node as the VM's home unless it has one, which then stays; with `replacing`, only in place of that one.
   * Answers the home that holds afterwards; undefined when the VM is gone or another one.
   */
  async remember(
    vm: VirtualMachine,
    node: string,
    { replacing }: { readonly replacing?: string } = {},
  ): Promise<string | undefined> {
    let current = vm
    for (let attempt = 1; ; attempt++) {
      const home = attempt === 1 ? this.of(current) : this.#annotated(current)
      if (home !== undefined && home !== replacing) return home
      try {
        const after = await this.#write(current, node)
        this.#written.set(vm.metadata.uid ?? '', { node, resourceVersion: versionOf(after) })
        return node
      } catch (error) {
        if (!isConflict(error) || attempt >= maxAttempts) throw error
      }
      const { name, namespace = '' } = vm.metadata
      current = await this.#client.get(virtualMachines, { name, namespace })
      if (current.metadata.uid !== vm.metadata.uid) return undefined
    }
  }

  /** The version keeps a home that somebody else wrote meanwhile. */
  #write({ metadata }: VirtualMachine, node: string): Promise<VirtualMachine> {
    const { name, namespace = '', resourceVersion, uid } = metadata
    const body = { metadata: { uid, resourceVersion, annotations: { [this.#settings.nodeAnnotation]: node } } }
    return this.#client.patch(virtualMachines, { name, namespace }, body, { type: 'merge' })
  }

  #annotated({ metadata }: VirtualMachine): string | undefined {
    return metadata.annotations?.[this.#settings.nodeAnnotation] || undefined
  }
}

function versionOf({ metadata: { resourceVersion = '0' } }: VirtualMachine): bigint {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n
}
