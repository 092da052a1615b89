import { label, virtualMachinePools } from '@kubevirt-ts/api'
import type { ControllerRevision, KubeObject, VirtualMachinePool, VirtualMachineTemplateSpec } from '@kubevirt-ts/api'
import { ownerReferenceTo } from '@kubevirt-ts/controller'
import { isSameJson } from '../same.ts'
import type { Seen } from './seen.ts'

export const revisionLabel = label.vmPoolRevisionName

/** The revision that holds the pool's present template, if it was kept already; the newest where several do. */
export function currentRevision({ pool, revisions }: Pick<Seen, 'pool' | 'revisions'>): ControllerRevision | undefined {
  return revisions
    .filter((revision) => isSameJson(templateOf(revision), pool.spec.virtualMachineTemplate))
    .toSorted((a, b) => b.revision - a.revision)[0]
}

/** The revision to keep for the pool's present template. */
export function newRevision(pool: VirtualMachinePool): ControllerRevision {
  const generation = pool.metadata.generation ?? 0
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${pool.metadata.name}-${generation}`,
      namespace: pool.metadata.namespace,
      ownerReferences: [ownerReferenceTo(pool, virtualMachinePools)],
    },
    data: { virtualMachineTemplate: pool.spec.virtualMachineTemplate },
    revision: generation,
  }
}

export function templateOf({ data }: ControllerRevision): VirtualMachineTemplateSpec | undefined {
  return (data as { virtualMachineTemplate?: VirtualMachineTemplateSpec } | undefined)?.virtualMachineTemplate
}

export function revisionNameOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[revisionLabel]
}

/** Revisions that no member, no guest of one, and no next one is made from. */
export function unusedRevisions(seen: Seen, current: string): readonly ControllerRevision[] {
  const used = new Set([current])
  for (const vm of seen.members) {
    for (const object of [vm, seen.vmiOf(vm)]) {
      const name = object === undefined ? undefined : revisionNameOf(object)
      if (name !== undefined) used.add(name)
    }
  }
  return seen.revisions.filter(({ metadata }) => !used.has(metadata.name))
}
