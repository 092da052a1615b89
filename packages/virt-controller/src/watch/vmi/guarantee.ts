import { hasDedicatedCpus } from '@kubevirt-ts/vmispec'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import { launcherPod } from './seen.ts'
import type { Seen } from './seen.ts'

/**
 * A guest with processors of its own gets none in a pod that is not of QoS class Guaranteed, such as one that an injected
 * sidecar or a limit range made something else: it is not handed over then.
 */
export function guaranteeProblem(seen: Pick<Seen, 'vmi' | 'pods'>): Problem | undefined {
  const pod = launcherPod(seen)
  const qosClass = pod?.status?.qosClass
  const isEarly = ['', 'Pending', 'Scheduling'].includes(seen.vmi.status?.phase ?? '')
  if (!isEarly || qosClass === undefined || qosClass === 'Guaranteed' || !hasDedicatedCpus(seen.vmi.spec)) {
    return undefined
  }
  const message = `pod ${pod?.metadata.name} is of QoS class ${qosClass}, but dedicated CPUs need Guaranteed: give every container of it, also injected ones, requests that equal its limits`
  return { reason: reason.failedGuaranteeResources, message, retry: false }
}
