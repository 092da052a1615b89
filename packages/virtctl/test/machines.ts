import { report } from '../src/why/report.ts'
import type { Fact } from '../src/why/fact.ts'
import type { Seen } from '../src/why/seen.ts'

export const now = new Date('2026-01-01T01:00:00Z')
export const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString()

export const condition = (type: string, status: string, reason = '', message = '') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: minutesAgo(5),
})

export const vm = (spec: object = { runStrategy: 'Always' }, status: object = { printableStatus: 'Running' }) => ({
  metadata: { name: 'web', namespace: 'shop', creationTimestamp: minutesAgo(30) },
  spec,
  status,
})
export const vmi = (phase: string, conditions: object[] = [], more: object = {}) => ({
  metadata: { name: 'web', uid: 'u' },
  spec: { domain: { devices: {} } },
  status: {
    phase,
    conditions,
    phaseTransitionTimestamps: [{ phase, phaseTransitionTimestamp: minutesAgo(10) }],
    ...more,
  },
})
export const pod = (status: object, spec: object = { nodeName: 'n1' }) => ({
  metadata: { name: 'virt-launcher-web-1', creationTimestamp: minutesAgo(10) },
  spec,
  status,
})
export const runningPod = pod({ phase: 'Running', conditions: [condition('Ready', 'True')] })
export const node = (
  annotations: object = { 'kubevirt.io/heartbeat': minutesAgo(1) },
  conditions = [condition('Ready', 'True')],
) => ({
  metadata: { name: 'n1', annotations, labels: { 'kubevirt.io/schedulable': 'true' } },
  status: { conditions },
})

/** What is seen of a machine and around it. */
export function seen(given: object): Seen {
  const nothing = { migrations: [], claims: new Map(), warnings: [], dataVolumes: new Map(), hidden: [] }
  return { name: 'web', namespace: 'shop', now, ...nothing, ...given } as unknown as Seen
}

export const pendingOnNode = pod({
  phase: 'Pending',
  containerStatuses: [{ name: 'compute', state: { waiting: { reason: 'ContainerCreating' } } }],
})
export const warning = (name: string, reason: string, message: string, kind = 'Pod') => ({
  metadata: {},
  involvedObject: { kind, name },
  reason,
  message,
  firstTimestamp: minutesAgo(4),
  lastTimestamp: minutesAgo(1),
})
export const mountFails = (message: string) => ({
  vm: vm(),
  vmi: vmi('Scheduling'),
  pod: pendingOnNode,
  node: node(),
  warnings: [warning('virt-launcher-web-1', 'FailedMount', `MountVolume.SetUp failed for ${message}`)],
})

export const healthy = {
  vm: vm(),
  vmi: vmi('Running', [
    condition('Ready', 'True'),
    condition('LiveMigratable', 'True'),
    condition('AgentConnected', 'True'),
  ]),
  pod: runningPod,
  node: node(),
}

/** What stands most of all in the way of a machine that does not run. */
export function firstCause(given: object): Fact | undefined {
  const { yes, because } = report(seen(given)).running
  return yes ? undefined : because[0]
}
