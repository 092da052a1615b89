import { expect, jest, test } from '@jest/globals'
import type { KubeVirtConfiguration } from '@kubevirt-ts/api'
import { createLogger } from '@kubevirt-ts/service'
import { followConfiguration } from './follow-configuration.ts'

function following() {
  const lines: string[] = []
  const log = createLogger({ component: 'test', verbosity: 2, destination: { write: (line) => void lines.push(line) } })
  const setRateLimit = jest.fn()
  let change: (configuration: KubeVirtConfiguration) => void = () => undefined
  const config = { onChange: (listener: typeof change) => ((change = listener), () => undefined) }
  followConfiguration(config, { setRateLimit }, log, { verbosity: 2, limit: { qps: 200, burst: 400 } })
  return { become: (configuration: KubeVirtConfiguration) => change(configuration), setRateLimit, log, lines }
}

test('log level and request rate are those of the KubeVirt resource, and those of the start when it says nothing more', () => {
  const { become, setRateLimit, log, lines } = following()
  const tokenBucketRateLimiter = { qps: 5, burst: 10 }
  become({
    developerConfiguration: { logVerbosity: { virtController: 5 } },
    controllerConfiguration: { restClient: { rateLimiter: { tokenBucketRateLimiter } } },
  })
  log.debug('told')
  become({})
  log.debug('not told')

  expect(setRateLimit.mock.calls).toEqual([[tokenBucketRateLimiter], [{ qps: 200, burst: 400 }]])
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['told'])
})
