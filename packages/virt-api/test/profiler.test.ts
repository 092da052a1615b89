import { once } from 'node:events'
import { createServer } from 'node:https'
import type { Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import type { KubeObject } from '@kubevirt-ts/api'
import { appUnderTest } from './app-under-test.ts'
import { ask } from './ask.ts'
import { kubevirtCa, pair } from './certificates.ts'

const group = '/apis/subresources.kubevirt.io/v1'
const anybody = { cert: undefined, key: undefined, headers: {} }

const pod = (name: string, component: string): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'kubevirt', labels: { 'kubevirt.io': component } },
    status: { podIP: '127.0.0.1' },
  }) as KubeObject

const closing: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A component's endpoints that answer every path with its name, or with a failure. */
async function component(status: number): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = []
  const server: Server = createServer({ ...pair('handler'), ca: kubevirtCa }, (request, response) => {
    asked.push(request.url!)
    response.writeHead(status).end(`profile of ${request.url}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => void server.close())
  return { port: (server.address() as AddressInfo).port, asked }
}

async function apiWith(handlerPort: number, clusterProfiler: boolean) {
  const objects = [
    pod('virt-handler-x', 'virt-handler'),
    pod('virt-controller-y', 'virt-controller'),
    pod('z', 'virt-launcher'),
  ]
  const app = await appUnderTest({ objects, handlerPort, clusterProfiler })
  closing.push(() => app.close())
  return app
}

test('the profilers of all components are started, stopped and read at once', async () => {
  const { port, asked } = await component(200)
  const app = await apiWith(port, true)
  expect(await ask(app.port, `${group}/start-cluster-profiler`, anybody)).toMatchObject({ status: 200, text: '' })
  expect(asked).toEqual(['/start-profiler', '/start-profiler'])
  const dump = (await ask(app.port, `${group}alpha3/dump-cluster-profiler`, anybody)).json()
  expect(Object.keys(dump.componentResults).toSorted()).toEqual(['virt-controller-y', 'virt-handler-x'])
  const profile: string = dump.componentResults['virt-handler-x'].pprofData['cpu.cpuprofile']
  expect(Buffer.from(profile, 'base64').toString()).toBe('profile of /dump-profiler')
})

test('a component that can not is named with its reason', async () => {
  const { port } = await component(409)
  const app = await apiWith(port, true)
  expect((await ask(app.port, `${group}/stop-cluster-profiler`, anybody)).json()).toMatchObject({
    code: 500,
    message: expect.stringMatching(/unable to stop profiler of virt-handler-x: 409, profile of .stop-profiler; virt-c/),
  })
})

test('nothing is profiled unless the cluster allows it', async () => {
  const { port, asked } = await component(200)
  const app = await apiWith(port, false)
  expect((await ask(app.port, `${group}/start-cluster-profiler`, anybody)).json()).toMatchObject({
    code: 403,
    message: expect.stringMatching(/ClusterProfiler/),
  })
  expect(await ask(app.port, '/start-profiler', anybody)).toMatchObject({ status: 403 })
  expect(asked).toEqual([])
})

test('OPTIONS tells anybody the methods of a path', async () => {
  const app = await apiWith(0, false)
  const path = `${group}/namespaces/n/virtualmachines/a`
  const options = (each: string) => ask(app.port, each, { ...anybody, method: 'OPTIONS' })
  expect((await options(`${path}/start`)).headers['allow']).toBe('PUT')
  expect((await options(`${path}/portforward/80`)).headers['allow']).toBe('GET')
  expect(await options(`${path}/fly`)).toMatchObject({ status: 401 })
})
