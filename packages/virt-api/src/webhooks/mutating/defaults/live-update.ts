import type { Settings } from '../../settings.ts'
import type { Draft } from './default.ts'

/** Whether changes of CPU and memory are rolled out to running guests: cluster wide, and not on arm64. */
export function updatesLive({ spec }: Draft, { configuration }: Settings): boolean {
  return (configuration.vmRolloutStrategy ?? 'LiveUpdate') === 'LiveUpdate' && spec.architecture !== 'arm64'
}

/** How many times its size at boot a guest may grow to when nothing else is said. */
export function maxHotplugRatio({ configuration }: Settings): number {
  return configuration.liveUpdateConfiguration?.maxHotplugRatio ?? 4
}
