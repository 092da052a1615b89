import type { VirtualMachine } from '@kubevirt-ts/api'
import type { Settings } from '../../settings.ts'
import { invalid, oneOf, when } from '../cause.ts'
import type { Cause } from '../cause.ts'

const strategies = ['Halted', 'Manual', 'Always', 'RerunOnFailure', 'Once', 'WaitAsReceiver']

export function runStrategy({ spec }: VirtualMachine, settings: Settings): Cause[] {
  if (spec.running !== undefined && spec.runStrategy !== undefined) {
    return [
      invalid(
        'spec.running',
        'Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead',
      ),
    ]
  }
  if (spec.running === undefined && spec.runStrategy === undefined) {
    return [invalid('spec.running', `RunStrategy must be specified; ${oneOf(strategies)}`)]
  }
  const strategy = spec.runStrategy
  if (strategy === undefined) return []
  if (strategy === 'WaitAsReceiver') {
    return when(!settings.isEnabled('DecentralizedLiveMigration'), () =>
      invalid(
        'spec.runStrategy',
        'WaitAsReceiver needs the feature gate DecentralizedLiveMigration, which is disabled',
      ),
    )
  }
  return when(!strategies.includes(strategy), () =>
    invalid('spec.runStrategy', `Invalid RunStrategy (${strategy}); ${oneOf(strategies)}`),
  )
}
