import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createLogger } from '@kubevirt-ts/service'
import { credentials, Server, ServerCredentials } from '@grpc/grpc-js'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AllocateResponse,
  DevicePluginClient,
  type ListAndWatchResponse,
  type RegisterRequest,
  RegistrationService,
} from '../../generated/deviceplugin/v1beta1/api.ts'
import { type DeviceManager, startDeviceManager } from './index.ts'
import type { PluginDevice } from './plugin-device.ts'

const log = createLogger({ component: 'test', destination: { write: () => undefined } })

let folder: string
let manager: DeviceManager
let device: PluginDevice
let kubelet: Server
let registrations: Registrations

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'device-plugins-'))
  device = {
    name: 'tun',
    hostPath: join(folder, 'tun'),
    allocation: { devices: [{ containerPath: '/dev/net/tun', hostPath: '/dev/net/tun', permissions: 'rw' }] },
  }
  await writeFile(device.hostPath, '')
  registrations = queue<RegisterRequest>()
  kubelet = await startKubelet()
  manager = startDeviceManager({ devices: [device], folder, maxDevices: 3, log })
})

afterEach(async () => {
  await manager.stop()
  kubelet.forceShutdown()
  await rm(folder, { recursive: true })
})

type Registrations = ReturnType<typeof queue<RegisterRequest>>

/** Things that come one at a time, taken one at a time. */
function queue<T>() {
  const there: T[] = []
  const waiting: ((item: T) => void)[] = []
  return {
    push: (item: T) => (waiting.length > 0 ? waiting.shift()?.(item) : there.push(item)),
    next: () => new Promise<T>((resolve) => (there.length > 0 ? resolve(there.shift() as T) : waiting.push(resolve))),
  }
}

/** The kubelet's side: takes registrations. */
async function startKubelet(): Promise<Server> {
  const server = new Server()
  server.addService(RegistrationService, {
    register(call: { request: RegisterRequest }, reply: (error: null, answer: object) => void) {
      registrations.push(call.request)
      reply(null, {})
    },
  })
  await new Promise<void>((resolve, reject) => {
    const address = `unix:${join(folder, 'kubelet.sock')}`
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()))
  })
  return server
}

const connect = (endpoint: string) =>
  new DevicePluginClient(`unix:${join(folder, endpoint)}`, credentials.createInsecure())

test('a device is registered, listed and allocated', async () => {
  const registration = await registrations.next()
  expect(registration).toMatchObject({
    version: 'v1beta1',
    endpoint: 'kubevirt-tun.sock',
    resourceName: 'devices.kubevirt.io/tun',
  })

  const client = connect(registration.endpoint)
  const stream = client.listAndWatch({})
  stream.on('error', () => undefined)
  const lists = queue<ListAndWatchResponse>()
  stream.on('data', (list: ListAndWatchResponse) => lists.push(list))
  const healthy = ['tun0', 'tun1', 'tun2'].map((ID) => ({ ID, health: 'Healthy' }))
  expect(await lists.next()).toMatchObject({ devices: healthy })
  expect(manager.initialised()).toBe(true)

  await rm(device.hostPath)
  expect(await lists.next()).toMatchObject({ devices: healthy.map(({ ID }) => ({ ID, health: 'Unhealthy' })) })

  const answer = await new Promise<AllocateResponse>((resolve, reject) =>
    client.allocate({ containerRequests: [{ devicesIds: ['tun1'] }] }, (error, response) =>
      error ? reject(error) : resolve(response),
    ),
  )
  expect(answer.containerResponses).toMatchObject([{ devices: [{ hostPath: '/dev/net/tun', permissions: 'rw' }] }])
  stream.cancel()
  client.close()
})

test('a restarted kubelet is told again', async () => {
  await registrations.next()
  kubelet.forceShutdown()
  await rm(join(folder, 'kubelet.sock'), { force: true })
  kubelet = await startKubelet()

  expect(await registrations.next()).toMatchObject({ resourceName: 'devices.kubevirt.io/tun' })
})

test('a kubelet that does not listen, or no longer, is told again', async () => {
  await manager.stop()
  await registrations.next()
  manager = startDeviceManager({ devices: [device], folder, maxDevices: 3, log, recheckMs: 50 })
  await registrations.next()
  const { endpoint } = await registrations.next()

  const client = connect(endpoint)
  const stream = client.listAndWatch({})
  stream.on('error', () => undefined)
  await new Promise((resolve) => stream.once('data', resolve))
  stream.cancel()
  client.close()

  expect(await registrations.next()).toMatchObject({ resourceName: 'devices.kubevirt.io/tun' })
})

test('a kubelet that swept its folder is told again', async () => {
  await registrations.next()
  await rm(join(folder, 'kubevirt-tun.sock'))

  expect(await registrations.next()).toMatchObject({ endpoint: 'kubevirt-tun.sock' })
})
