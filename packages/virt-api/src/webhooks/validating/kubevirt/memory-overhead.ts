import { notSupported } from '../cause.ts'
import type { KubeVirtRule } from './rule.ts'

const field = 'spec.configuration.additionalGuestMemoryOverheadRatio'

/** How much more memory than it was worked out to need a guest's pod asks for. */
export const memoryOverhead: KubeVirtRule = ({ object: { spec } }) => {
  const text = spec.configuration?.additionalGuestMemoryOverheadRatio
  if (text === undefined) return []
  const ratio = text.trim() === '' ? Number.NaN : Number(text)
  const use = 'write a number from 1.0, such as 1.2'
  if (Number.isNaN(ratio)) {
    return [notSupported(field, `ratio provided, ${text}, cannot be parsed into float; ${use}`)]
  }
  return ratio < 1 ? [notSupported(field, `ratio provided, ${text}, cannot be smaller than 1.0; ${use}`)] : []
}
