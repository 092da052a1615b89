import { isSameJson } from '../same.ts'
import { vmGeneration } from './vmi-from-vm.ts'
import type { Seen } from './seen.ts'

/** The VM generation that the VMI was started from, or a later one whose template is the same. */
export function observedGeneration({ vmi }: Seen): number | undefined {
  const text = vmi?.metadata.annotations?.[vmGeneration]
  const generation = Number(text)
  return text === undefined || !Number.isSafeInteger(generation) ? undefined : generation
}

/**
 * The generation to note on the VMI: the VM changed, but not in what its guest was started from. A deletion is a change
 * too, after which nobody asks.
 */
export function generationToNote(seen: Seen): number | undefined {
  const { vm, vmi, startedSpec } = seen
  if (vm.metadata.deletionTimestamp !== undefined || vmi?.metadata.deletionTimestamp !== undefined) return undefined
  if (vmi === undefined || startedSpec === undefined || vm.metadata.generation === undefined) return undefined
  if (observedGeneration(seen) === vm.metadata.generation) return undefined
  return isSameJson(startedSpec.template, vm.spec.template) ? vm.metadata.generation : undefined
}
