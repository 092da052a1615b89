import type { Taint, Toleration } from '@kubevirt-ts/api'

/** A toleration without effect or key means every effect or key; `Exists` asks for no value. */
export function tolerates({ effect, key, operator, value }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false
  if (key && key !== taint.key) return false
  if (operator === 'Exists') return true
  return (!operator || operator === 'Equal') && (value ?? '') === (taint.value ?? '')
}

/** The first taint with one of the effects that nothing tolerates. */
export function untolerated(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): Taint | undefined {
  return (taints ?? []).find(
    (taint) =>
      effects.includes(taint.effect) && !(tolerations ?? []).some((toleration) => tolerates(toleration, taint)),
  )
}

/** The effects that keep a pod from a node. */
export const excluding = ['NoSchedule', 'NoExecute'] as const
