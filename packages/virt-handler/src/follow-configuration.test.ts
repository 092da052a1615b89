import { expect, jest, test } from '@jest/globals'
import type { KubeVirtConfiguration } from '@kubevirt-ts/api'
import { createLogger } from '@kubevirt-ts/service'
import { followConfiguration } from './follow-configuration.ts'

const given = { node: 'node-1', verbosity: 2, limit: { qps: 50, burst: 100 } }

function following() {
  const lines: string[] = []
  const log = createLogger({ component: 'test', verbosity: 2, destination: { write: (line) => void lines.push(line) } })
  const setRateLimit = jest.fn()
  let change: (configuration: KubeVirtConfiguration) => void = () => undefined
  const config = { onChange: (listener: typeof change) => ((change = listener), () => undefined) }
  followConfiguration(config, { setRateLimit }, log, given)
  const isTold = (configuration: KubeVirtConfiguration): boolean => {
    change(configuration)
    log.debug('detail')
    return lines.splice(0).length > 0
  }
  return { isTold, setRateLimit }
}

test('the request rate is that of the KubeVirt resource, and that of the start when it says nothing more', () => {
  const { isTold, setRateLimit } = following()
  const tokenBucketRateLimiter = { qps: 5, burst: 10 }

  isTold({ handlerConfiguration: { restClient: { rateLimiter: { tokenBucketRateLimiter } } } })
  isTold({})

  expect(setRateLimit.mock.calls).toEqual([[tokenBucketRateLimiter], [given.limit]])
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
