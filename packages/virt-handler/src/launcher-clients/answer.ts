import { VirtError } from '@kubevirt-ts/service'

/** A launcher's verdict on a call. */
export interface Outcome {
  readonly success: boolean
  readonly message: string
}

/** Throws what the launcher said when it could not do what it was asked; an answer with a verdict inside counts too. */
export function succeeded<A extends Partial<Outcome> & { readonly response?: Outcome | undefined }>(answer: A): A {
  const verdict = answer.response ?? answer
  if (verdict.success === false)
    throw new VirtError('LauncherRefused', verdict.message ?? 'the launcher gave no reason')
  return answer
}
