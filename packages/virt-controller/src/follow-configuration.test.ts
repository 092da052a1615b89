import { expect, test } from '@jest/globals'
import { configured } from '@kubevirt-ts/controller/testing'
import { followConfiguration } from './follow-configuration.ts'

test('log level and request rate are those of the KubeVirt resource, and those of the start when it says nothing more', () => {
  const { config, client, become, limits, log, lines } = configured()
  followConfiguration(config, client, log, { verbosity: 2, limit: { qps: 200, burst: 400 } })
  const tokenBucketRateLimiter = { qps: 5, burst: 10 }
  become({
    developerConfiguration: { logVerbosity: { virtController: 5 } },
    controllerConfiguration: { restClient: { rateLimiter: { tokenBucketRateLimiter } } },
  })
  log.debug('told')
  become({})
  log.debug('not told')

  expect(limits).toEqual([tokenBucketRateLimiter, { qps: 200, burst: 400 }])
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['told'])
})
