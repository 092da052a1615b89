import type { KubeVirtConfiguration } from '@kubevirt-ts/api'
import type { RateLimit } from '@kubevirt-ts/kubecli'
import { createLogger } from '@kubevirt-ts/service'
import type { Configured } from '../pace.ts'

/** A process that follows a configuration: what it logs, and the rates that it was given. */
export function configured() {
  const lines: string[] = []
  const limits: RateLimit[] = []
  let change: (configuration: KubeVirtConfiguration) => void = () => undefined
  const config: Configured = { onChange: (listener) => (change = listener) }
  return {
    config,
    client: { setRateLimit: (limit: RateLimit) => void limits.push(limit) },
    log: createLogger({ component: 'test', verbosity: 2, destination: { write: (line) => void lines.push(line) } }),
    /** The KubeVirt resource says this from now on. */
    become: (configuration: KubeVirtConfiguration) => change(configuration),
    lines,
    limits,
  }
}
