import type { IncomingMessage } from 'node:http'
import { expect, test } from '@jest/globals'
import { profilerRoutes } from './profiler.ts'

test('a profile is recorded between start and stop, and told afterwards', async () => {
  const routes = profilerRoutes(() => true)
  const ask = async (path: string) => await routes[path]!({} as IncomingMessage)
  expect(await ask('/stop-profiler')).toMatchObject({ status: 409 })
  expect(await ask('/dump-profiler')).toMatchObject({ status: 404 })

  expect(await ask('/start-profiler')).toMatchObject({ status: 200 })
  expect(await ask('/start-profiler')).toMatchObject({ status: 409 })
  expect(await ask('/stop-profiler')).toMatchObject({ status: 200 })
  const { body } = await ask('/dump-profiler')
  expect(JSON.parse(String(body))).toMatchObject({ nodes: expect.any(Array), startTime: expect.any(Number) })
})

test('nothing is recorded unless the cluster allows it', async () => {
  const routes = profilerRoutes(() => false)
  for (const path of Object.keys(routes)) {
    expect(await routes[path]!({} as IncomingMessage)).toMatchObject({ status: 403 })
  }
})
