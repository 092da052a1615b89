import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
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
import { countedDevice, type PluginDevice } from './plugin-device.ts'

const log = createLogger({ component: 'test', destination: { write: () => undefined } })

let folder: string
let manager: DeviceManager
let device: PluginDevice
let file: string
let kubelet: Server
let registrations: Registrations

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'device-plugins-'))
  file = join(folder, 'tun')
  const allocation = { devices: [{ containerPath: '/dev/net/tun', hostPath: '/dev/net/tun', permissions: 'rw' }] }
  device = countedDevice({ name: 'tun', hostPath: file, count: 3, allocation })
  await writeFile(file, '')
  registrations = queue<RegisterRequest>()
  kubelet = await startKubelet()
  manager = startDeviceManager({ devices: [device], folder, log })
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
  let count = 0
  return {
    /** How many have come. */
    taken: () => count,
    push(item: T) {
      count += 1
      if (waiting.length > 0) waiting.shift()?.(item)
      else there.push(item)
    },
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

/** The kubelet's side of one plugin. */
function listen(endpoint: string) {
  const client = new DevicePluginClient(`unix:${join(folder, endpoint)}`, credentials.createInsecure())
  const stream = client.listAndWatch({})
  const lists = queue<ListAndWatchResponse>()
  stream.on('data', (list: ListAndWatchResponse) => lists.push(list))
  const ended = new Promise<void>((resolve) => stream.on('error', () => resolve()).on('end', () => resolve()))
  return {
    lists,
    ended,
    allocate: (...devicesIds: string[]) =>
      new Promise<AllocateResponse['containerResponses']>((resolve, reject) =>
        client.allocate({ containerRequests: [{ devicesIds }] }, (error, answer) =>
          error ? reject(error) : resolve(answer.containerResponses),
        ),
      ),
    async [Symbol.asyncDispose]() {
      stream.cancel()
      await ended
      client.close()
    },
  }
}

test('a device is registered, listed and allocated', async () => {
  const registration = await registrations.next()
  expect(registration).toMatchObject({
    version: 'v1beta1',
    endpoint: 'kubevirt-tun.sock',
    resourceName: 'devices.kubevirt.io/tun',
  })

  await using plugin = listen(registration.endpoint)
  const healthy = ['tun0', 'tun1', 'tun2'].map((ID) => ({ ID, health: 'Healthy' }))
  expect(await plugin.lists.next()).toMatchObject({ devices: healthy })
  expect(manager.initialised()).toBe(true)
  expect(await plugin.allocate('tun1')).toMatchObject([{ devices: [{ hostPath: '/dev/net/tun', permissions: 'rw' }] }])

  await rm(file)
  expect(await plugin.lists.next()).toMatchObject({ devices: healthy.map(({ ID }) => ({ ID, health: 'Unhealthy' })) })
  await expect(plugin.allocate('tun1')).rejects.toThrow('tun1 of devices.kubevirt.io/tun is no longer on this node')
})

describe('devices that are offered while it runs', () => {
  let offered: PluginDevice
  const cards = (...ids: readonly string[]): PluginDevice => ({
    name: 'vendor.org-card',
    resourceName: 'vendor.org/card',
    units: ids.map((id) => ({ id, files: [join(folder, id)], numaNode: 1 })),
    allocate: (units) => ({ envs: { CARDS: units.map(({ id }) => id).join(',') } }),
  })

  beforeEach(async () => {
    await registrations.next()
    await Promise.all(['7', '8'].map((id) => writeFile(join(folder, id), '')))
    offered = cards('7', '8')
    manager.offer([offered])
  })

  test('are registered by their own name, each with its health and its place', async () => {
    const { endpoint, resourceName } = await registrations.next()
    expect(resourceName).toBe('vendor.org/card')
    await using plugin = listen(endpoint)
    const place = { topology: { nodes: [{ ID: 1n }] } }
    expect(await plugin.lists.next()).toEqual({
      devices: [
        { ID: '7', health: 'Healthy', ...place },
        { ID: '8', health: 'Healthy', ...place },
      ],
    })

    await rm(join(folder, '8'))
    expect((await plugin.lists.next()).devices.map(({ health }) => health)).toEqual(['Healthy', 'Unhealthy'])
    await writeFile(join(folder, '8'), '')
    expect((await plugin.lists.next()).devices.map(({ health }) => health)).toEqual(['Healthy', 'Healthy'])
    expect(await plugin.allocate('8', '7')).toMatchObject([{ envs: { CARDS: '8,7' } }])
  })

  test('change in place when there are others', async () => {
    await using plugin = listen((await registrations.next()).endpoint)
    await plugin.lists.next()

    await writeFile(join(folder, '9'), '')
    manager.offer([cards('8', '9')])
    expect((await plugin.lists.next()).devices.map(({ ID }) => ID)).toEqual(['8', '9'])
    await rm(join(folder, '9'))
    expect((await plugin.lists.next()).devices.map(({ health }) => health)).toEqual(['Healthy', 'Unhealthy'])
  })

  test('are 0 when they are no longer offered, and come back when they are again', async () => {
    await using plugin = listen((await registrations.next()).endpoint)
    await plugin.lists.next()

    manager.offer([])
    expect(await plugin.lists.next()).toEqual({ devices: [] })
    await plugin.ended

    manager.offer([offered])
    expect(await registrations.next()).toMatchObject({ resourceName: 'vendor.org/card' })
  })

  test('stay the kubelet’s when virt-handler stops, as guests have them', async () => {
    await using plugin = listen((await registrations.next()).endpoint)
    await plugin.lists.next()

    await manager.stop()
    await plugin.ended
    expect(plugin.lists.taken()).toBe(1)
  })

  test('say nothing of whether guests can be placed here', async () => {
    await registrations.next()
    const nobody = join(folder, 'nobody')
    manager.offer([{ ...cards('7'), name: 'a/b', resourceName: nobody }])
    expect(manager.initialised()).toBe(true)
  })
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
  manager = startDeviceManager({ devices: [device], folder, log, recheckMs: 50 })
  await registrations.next()
  const { endpoint } = await registrations.next()

  await using plugin = listen(endpoint)
  await plugin.lists.next()
  await plugin[Symbol.asyncDispose]()

  expect(await registrations.next()).toMatchObject({ resourceName: 'devices.kubevirt.io/tun' })
})

test('a kubelet that swept its folder is told again', async () => {
  await registrations.next()
  await rm(join(folder, 'kubevirt-tun.sock'))

  expect(await registrations.next()).toMatchObject({ endpoint: 'kubevirt-tun.sock' })
})
