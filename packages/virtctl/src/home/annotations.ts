import { virtualMachines, type VirtualMachine } from '@kubevirt-ts/api'
import { isConflict } from '@kubevirt-ts/kubecli'
import { homeAnnotation } from '@kubevirt-ts/scheduling'
import type { Cluster } from '../command.ts'

export interface Home {
  readonly node: string | undefined
  readonly policy: string | undefined
  readonly returnTo: string | undefined
}

export function homeOf({ metadata: { annotations = {} } }: VirtualMachine): Home {
  const read = (key: string) => annotations[key] || undefined
  return {
    node: read(homeAnnotation.node),
    policy: read(homeAnnotation.policy),
    returnTo: read(homeAnnotation.returnTo),
  }
}

/** Null takes an annotation away. */
export type Changes = { readonly [K in keyof Home]?: string | null }

const attempts = 10

/**
 * Writes what `change` makes of the home, decided anew where somebody else wrote on the VM in between, as controllers do
 * all the time; undefined leaves the VM as it is. Answers whether something was written.
 */
export async function annotate(
  { client }: Cluster,
  vm: VirtualMachine,
  change: (home: Home) => Changes | undefined,
): Promise<boolean> {
  const reference = { name: vm.metadata.name, namespace: vm.metadata.namespace ?? '' }
  for (let seen = vm, attempt = 1; ; seen = await client.get(virtualMachines, reference), attempt++) {
    const changes = change(homeOf(seen))
    if (changes === undefined) return false
    const annotations = Object.fromEntries(
      Object.entries(changes).map(([key, value]) => [homeAnnotation[key as keyof Home], value]),
    )
    const body = { metadata: { resourceVersion: seen.metadata.resourceVersion, annotations } }
    try {
      await client.patch(virtualMachines, reference, body, { type: 'merge' })
      return true
    } catch (error) {
      if (!isConflict(error) || attempt === attempts) throw error
    }
  }
}
