import type { ContainerProbe, Probe } from '@kubevirt-ts/api'
import { domainName } from '@kubevirt-ts/vmispec'
import type { Draft } from './draft.ts'
import type { Launch } from './launch.ts'

/** Seconds that every guest gets before its first probe. */
const startDelaySeconds = 10

/** The guest's probes: network ones are the kubelet's, commands and pings go through the guest agent. */
export function probes({ compute }: Draft, { vmi }: Launch): void {
  const { livenessProbe, readinessProbe } = vmi.spec
  if (livenessProbe !== undefined) compute.livenessProbe = containerProbe(livenessProbe, domainName(vmi))
  if (readinessProbe !== undefined) compute.readinessProbe = containerProbe(readinessProbe, domainName(vmi))
}

function containerProbe({ exec, guestAgentPing, ...probe }: Probe, domain: string): ContainerProbe {
  const delayed = { ...probe, initialDelaySeconds: (probe.initialDelaySeconds ?? 0) + startDelaySeconds }
  if (exec === undefined && guestAgentPing === undefined) return delayed
  const timeout = probe.timeoutSeconds ?? 1
  const [command = '', ...rest] = exec?.command ?? []
  const question = exec === undefined ? ['--guestAgentPing'] : ['--command', command, '--', ...rest]
  return {
    ...delayed,
    exec: { command: ['virt-probe', '--domainName', domain, '--timeoutSeconds', String(timeout), ...question] },
    // The program itself needs a moment on top of the guest's answer.
    timeoutSeconds: timeout + 1,
  }
}
