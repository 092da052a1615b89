import { virtualMachines, type VirtualMachine } from '@kubevirt-ts/api'
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

/** Null takes an annotation away; the version keeps what somebody else changed meanwhile. */
export async function annotate(
  { client }: Cluster,
  { metadata }: VirtualMachine,
  changes: { readonly [K in keyof Home]?: string | null },
): Promise<void> {
  const { name, namespace = '', resourceVersion } = metadata
  const annotations = Object.fromEntries(
    Object.entries(changes).map(([key, value]) => [homeAnnotation[key as keyof Home], value]),
  )
  const body = { metadata: { resourceVersion, annotations } }
  await client.patch(virtualMachines, { name, namespace }, body, { type: 'merge' })
}
