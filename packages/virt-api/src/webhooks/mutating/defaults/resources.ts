import type { Default } from './default.ts'

/** The value at which the KubeVirt resource's cpuRequest is taken as untouched. */
const untouchedCpuRequest = '100m'

/** A limit alone also is the request; else a cpuRequest that the cluster's administrator changed. */
export const resourceRequests: Default = ({ spec }, { configuration }) => {
  const resources = (spec.domain.resources ??= {})
  if (resources.requests?.['cpu'] !== undefined) return
  const limit = resources.limits?.['cpu']
  const wanted = limit ?? configuration.cpuRequest
  if (wanted === undefined || (limit === undefined && wanted === untouchedCpuRequest)) return
  resources.requests = { ...resources.requests, cpu: wanted }
}
