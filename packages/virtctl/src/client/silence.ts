import { isServerFailure, Unanswered } from '@kubevirt-ts/kubecli'

/** As long as an API server takes to come back, or a control plane node to be drained. */
const silenceMs = 120_000

const passes = (error: unknown): boolean => error instanceof Unanswered || isServerFailure(error)

/**
 * For following what goes on without this program: asks, and answers undefined when the server does not answer or
 * fails, up to two minutes on end. Other refusals are thrown.
 * @param say tells the user, once for each silence
 */
export function bearingSilence(say: (line: string) => void, now = Date.now): Bearing {
  let since: number | undefined
  return async (ask) => {
    try {
      const answer = await ask()
      since = undefined
      return answer
    } catch (error) {
      if (!passes(error) || (since !== undefined && now() - since > silenceMs)) throw error
      if (since === undefined) say(`${(error as Error).message}; asking again for ${silenceMs / 1000} s`)
      since ??= now()
      return undefined
    }
  }
}

export type Bearing = <T>(ask: () => Promise<T>) => Promise<T | undefined>
