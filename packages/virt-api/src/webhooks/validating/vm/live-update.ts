import { memoryHotplugObstacle } from '@kubevirt-ts/vmispec'
import { invalid, when } from '../cause.ts'
import type { Rule } from '../rule.ts'

/** A VM that says how far its memory may grow must be able to grow. */
export const memoryGrows: Rule = ({ spec, field }) => {
  const maxGuest = spec.domain.memory?.maxGuest
  if (maxGuest === undefined) return []
  const obstacle = memoryHotplugObstacle(spec.domain, spec.architecture, maxGuest)
  return when(obstacle !== undefined, () => invalid(`${field}.domain.memory.guest`, obstacle!))
}
