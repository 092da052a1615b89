import { isDeepStrictEqual } from 'node:util'
import type { KubeVirt } from '@kubevirt-ts/api'
import type { KindRule } from '../of-kind.ts'

export type KubeVirtRule = KindRule<KubeVirt>

/** A part of the resource, where it is given and new: what is stored already keeps nobody from changing something else. */
export function changed<Part>(
  partOf: (kubevirt: KubeVirt) => Part | undefined,
  { object, old }: Pick<Parameters<KubeVirtRule>[0], 'object' | 'old'>,
): Part | undefined {
  const part = partOf(object)
  return old && isDeepStrictEqual(part, partOf(old)) ? undefined : part
}
