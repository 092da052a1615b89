import { afterEach, expect, test } from '@jest/globals'
import { kubeVirts } from '@kubevirt-ts/api'
import type { KubeVirt } from '@kubevirt-ts/api'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { createLogger } from '@kubevirt-ts/service'
import { followConfiguration } from './configuration.ts'

const namespace = 'kubevirt'
const ending = new AbortController()
afterEach(() => ending.abort())

const limited = (qps: number, burst: number): KubeVirt => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: { name: 'kubevirt', namespace },
  spec: {
    configuration: { apiConfiguration: { restClient: { rateLimiter: { tokenBucketRateLimiter: { qps, burst } } } } },
  },
})

test('virt-api asks at the rate that the KubeVirt resource names, from its start on; where it names none, at any', async () => {
  const client = fakeClient([limited(200, 400)])
  const told = Promise.withResolvers<object>()
  const rates: object[] = []
  client.setRateLimit = (rate) => {
    rates.push(rate)
    if (rates.length > 1) told.resolve(rate)
  }
  const log = createLogger({ component: 'virt-api', destination: { write: () => {} } })
  await followConfiguration(client, { namespace, verbosity: 2 }, log, ending.signal)
  expect(rates).toEqual([{ qps: 200, burst: 400 }])
  await client.patch(kubeVirts, { namespace, name: 'kubevirt' }, { spec: { configuration: null } }, { type: 'merge' })
  expect(await told.promise).toEqual({ qps: 0, burst: 0 })
})
