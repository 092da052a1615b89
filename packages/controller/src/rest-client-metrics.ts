import type { RequestRecord } from '@kubevirt-ts/kubecli'
import { Counter, Histogram, type Registry } from '@kubevirt-ts/service'

const buckets = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2, 4, 8, 15, 30]

/**
 * KubeVirt's `kubevirt_rest_client_*`, to be given to `createClient` as `onRequest`. The label `url` tells host and
 * resource, never an object's name: names would make a series each.
 */
export function restClientMetrics(registry: Registry): (record: RequestRecord) => void {
  const registers = [registry]
  const requests = new Counter({
    name: 'kubevirt_rest_client_requests_total',
    help: 'Requests to the API server; code is 0 where no answer came.',
    labelNames: ['code', 'method', 'host', 'resource', 'verb'],
    registers,
  })
  const latency = new Histogram({
    name: 'kubevirt_rest_client_request_latency_seconds',
    help: 'Time until the answer; for watches, until it was opened.',
    labelNames: ['verb', 'url'],
    buckets,
    registers,
  })
  const throttled = new Histogram({
    name: 'kubevirt_rest_client_rate_limiter_duration_seconds',
    help: 'Time that requests waited for our own rate limit.',
    labelNames: ['verb', 'url'],
    buckets,
    registers,
  })
  return ({ status, method, host, resource, verb, seconds, throttledSeconds }) => {
    const url = `${host}/${resource}`
    requests.inc({ code: String(status), method, host, resource, verb })
    latency.observe({ verb, url }, seconds)
    throttled.observe({ verb, url }, throttledSeconds)
  }
}
