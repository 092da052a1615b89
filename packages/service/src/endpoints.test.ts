import { expect, test } from '@jest/globals'
import { serveEndpoints } from './endpoints.ts'
import { createLogger } from './log.ts'
import { Counter, createRegistry } from './metrics.ts'

const log = createLogger({ component: 'test', destination: { write: () => undefined } })
const local = { host: '127.0.0.1', port: 0, log }

test('health, metrics and own paths are answered, others are not', async () => {
  const metrics = createRegistry('virt-test')
  new Counter({ name: 'kubevirt_things_total', help: 'Things.', registers: [metrics] }).inc()
  const routes = {
    '/leader': () => ({ status: 200, body: '{"apiserver":{"leader":"true"}}', contentType: 'application/json' }),
    '/broken': () => Promise.reject(new Error('no disk')),
  }
  const endpoints = await serveEndpoints({ ...local, metrics, routes })
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${endpoints.port}${path}`)
    return [response.status, await response.text()]
  }

  expect(await ask('/healthz?probe=1')).toEqual([200, 'ok'])
  expect(await ask('/leader')).toEqual([200, '{"apiserver":{"leader":"true"}}'])
  expect(await ask('/broken')).toEqual([500, 'no disk\n'])
  expect(await ask('/__proto__')).toEqual([404, 'no such path; there are /healthz, /metrics, /leader, /broken\n'])
  const [status, text] = await ask('/metrics')
  expect(status).toBe(200)
  expect(text).toContain('kubevirt_things_total 1')
  expect(text).toContain('target_info{service_name="virt-test"} 1')
  await endpoints.close()
})

test('a port in use is named with the remedy', async () => {
  const first = await serveEndpoints(local)

  const second = await serveEndpoints({ ...local, port: first.port }).catch((error: unknown) => error)

  expect(second).toMatchObject({ reason: 'ListenFailed' })
  expect((second as Error).message).toContain(`127.0.0.1:${first.port} (EADDRINUSE)`)
  expect((second as Error).message).toContain('choose another --port')
  await first.close()
})

test('closing waits for an answer that is being made', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const slow = async () => {
    arrived.resolve()
    await promise
    return { status: 200, body: 'done' }
  }
  const endpoints = await serveEndpoints({ ...local, routes: { '/slow': slow } })
  const asked = fetch(`http://127.0.0.1:${endpoints.port}/slow`)
  await arrived.promise

  const closed = endpoints.close()
  resolve()

  expect(await (await asked).text()).toBe('done')
  await closed
})
