import { expect, test } from '@jest/globals'
import type { KubeVirtConfiguration } from '@kubevirt-ts/api'
import { configured } from '@kubevirt-ts/controller/testing'
import { followConfiguration } from './follow-configuration.ts'

const given = { node: 'node-1', verbosity: 2, limit: { qps: 50, burst: 100 } }

function following() {
  const { config, client, become, limits, log, lines } = configured()
  followConfiguration(config, client, log, given)
  const isTold = (configuration: KubeVirtConfiguration): boolean => {
    become(configuration)
    log.debug('detail')
    return lines.splice(0).length > 0
  }
  return { isTold, limits }
}

test('the request rate is that of the KubeVirt resource, and that of the start when it says nothing more', () => {
  const { isTold, limits } = following()
  const tokenBucketRateLimiter = { qps: 5, burst: 10 }

  isTold({ handlerConfiguration: { restClient: { rateLimiter: { tokenBucketRateLimiter } } } })
  isTold({})

  expect(limits).toEqual([tokenBucketRateLimiter, given.limit])
})

test("the log level is that of the KubeVirt resource, a node's own before that of all", () => {
  const { isTold } = following()

  expect(isTold({ developerConfiguration: { logVerbosity: { virtHandler: 5 } } })).toBe(true)
  expect(isTold({ developerConfiguration: { logVerbosity: { virtHandler: 2, nodeVerbosity: { 'node-1': 5 } } } })).toBe(
    true,
  )
  expect(isTold({ developerConfiguration: { logVerbosity: { virtHandler: 2, nodeVerbosity: { other: 5 } } } })).toBe(
    false,
  )
  expect(isTold({})).toBe(false)
})
