import { expect, test } from '@jest/globals'
import { createRegistry } from '@kubevirt-ts/service'
import { restClientMetrics } from './rest-client-metrics.ts'

test('requests are counted by code and verb, their times by resource', async () => {
  const registry = createRegistry('test')
  const onRequest = restClientMetrics(registry)
  const common = { method: 'GET', verb: 'get', resource: 'pods', host: 'h:443' }

  onRequest({ ...common, status: 200, seconds: 0.02, throttledSeconds: 0 })
  onRequest({ ...common, status: 404, seconds: 0.3, throttledSeconds: 2 })

  const text = await registry.metrics()
  const labels = 'method="GET",host="h:443",resource="pods",verb="get"'
  expect(text).toContain(`kubevirt_rest_client_requests_total{code="200",${labels}} 1`)
  expect(text).toContain(`kubevirt_rest_client_requests_total{code="404",${labels}} 1`)
  expect(text).toContain(
    'kubevirt_rest_client_request_latency_seconds_bucket{le="0.025",verb="get",url="h:443/pods"} 1',
  )
  expect(text).toContain('kubevirt_rest_client_rate_limiter_duration_seconds_sum{verb="get",url="h:443/pods"} 2')
})
