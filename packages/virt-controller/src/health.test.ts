import { expect, test } from '@jest/globals'
import type { IncomingMessage } from 'node:http'
import type { ClusterConfig } from '@kubevirt-ts/virt-config'
import { healthRoutes } from './health.ts'

const request = {} as IncomingMessage
const config = { resourceVersion: () => '42' } as ClusterConfig

async function answer(path: '/healthz' | '/leader', lastContact: number, leading = true) {
  const routes = healthRoutes({
    client: { lastContact },
    config,
    isLeader: () => leading,
    now: () => 100_000,
    startedAt: 0,
  })
  const reply = await routes[path]?.(request)
  return { status: reply?.status, body: JSON.parse(String(reply?.body)) as unknown }
}

test('while the API server answers the process is healthy and tells which configuration it uses', async () => {
  expect(await answer('/healthz', 99_000)).toEqual({
    status: 200,
    body: { apiserver: { connectivity: 'ok' }, 'config-resource-version': '42' },
  })
})

test('an API server that has not answered for a minute makes it unhealthy', async () => {
  const { status, body } = await answer('/healthz', 40_000)
  expect(status).toBe(500)
  expect(body).toMatchObject({ apiserver: { connectivity: 'failed', error: expect.stringContaining('60 s') } })
})

test('leadership is told in the form that upstream uses', async () => {
  expect((await answer('/leader', 0, true)).body).toEqual({ apiserver: { leader: 'true' } })
  expect((await answer('/leader', 0, false)).body).toEqual({ apiserver: { leader: 'false' } })
})
