import { run } from '../run.ts'
import type { PlaceholderType } from './bridge.ts'

/**
 * The link type that this kernel has for a link that leads nowhere: `dummy` where there is one, else a bridge without
 * ports. Tried in a network of its own, which ends with the trial.
 */
export async function placeholderType(): Promise<PlaceholderType> {
  try {
    await run(['unshare', '--net', 'ip', 'link', 'add', 'name', 'trial', 'type', 'dummy'])
    return 'dummy'
  } catch {
    return 'bridge'
  }
}
