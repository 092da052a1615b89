import type { Default } from './default.ts'

/** Kubernetes' own defaults of a probe. */
export const probes: Default = ({ spec }) => {
  for (const probe of [spec.readinessProbe, spec.livenessProbe]) {
    if (!probe) continue
    probe.timeoutSeconds ||= 1
    probe.periodSeconds ||= 10
    probe.successThreshold ||= 1
    probe.failureThreshold ||= 3
  }
}
