import { credentials, Metadata, Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  AllocateResponse,
  type DevicePluginServer,
  DevicePluginService,
  type Empty,
  type ListAndWatchResponse,
  RegistrationClient,
} from '../../generated/deviceplugin/v1beta1/api.ts'
import type { PluginDevice } from './plugin-device.ts'

export const kubeletSocket = 'kubelet.sock'

const registrationTimeoutMs = 5_000

export interface PluginServer {
  readonly socketName: string
  /** Tells the kubelet that the devices can or cannot be used from now on. */
  setHealthy(healthy: boolean): void
  /** Whether the kubelet listens to this very server; it takes devices of which it hears nothing for gone. */
  isHeard(): boolean
  close(): void
}

export interface PluginServerOptions {
  readonly device: PluginDevice
  /** The kubelet's device-plugins folder. */
  readonly folder: string
  /** How many containers may have one at a time. */
  readonly count: number
  readonly healthy: boolean
}

/** Serves one resource in the kubelet's folder and registers it. Throws when the kubelet does not accept it. */
export async function servePlugin(options: PluginServerOptions): Promise<PluginServer> {
  const { device, folder, count } = options
  const socketName = `kubevirt-${device.name}.sock`
  const watchers = new Set<ServerWritableStream<Empty, ListAndWatchResponse>>()
  let healthy = options.healthy
  const list = (): ListAndWatchResponse => ({ devices: deviceList(device.name, count, healthy) })
  const server = new Server()
  server.addService(DevicePluginService, handlersFor(device, watchers, list))
  await rm(join(folder, socketName), { force: true })
  try {
    await bind(server, join(folder, socketName))
    await register(folder, socketName, `devices.kubevirt.io/${device.name}`)
  } catch (error) {
    server.forceShutdown()
    throw error
  }
  return {
    socketName,
    setHealthy(now) {
      if (now === healthy) return
      healthy = now
      for (const watcher of watchers) watcher.write(list())
    },
    isHeard: () => watchers.size > 0,
    close: () => server.forceShutdown(),
  }
}

function handlersFor(
  device: PluginDevice,
  watchers: Set<ServerWritableStream<Empty, ListAndWatchResponse>>,
  list: () => ListAndWatchResponse,
): DevicePluginServer {
  return {
    getDevicePluginOptions: (_, reply) =>
      reply(null, { preStartRequired: false, getPreferredAllocationAvailable: false }),
    listAndWatch(call) {
      watchers.add(call)
      call.on('close', () => watchers.delete(call))
      call.on('cancelled', () => watchers.delete(call))
      call.write(list())
    },
    allocate(call, reply) {
      const containers = call.request.containerRequests.map(() => device.allocation)
      reply(null, AllocateResponse.fromPartial({ containerResponses: containers }))
    },
    getPreferredAllocation: (_, reply) => reply(null, { containerResponses: [] }),
    preStartContainer: (_, reply) => reply(null, {}),
  }
}

const deviceList = (name: string, count: number, healthy: boolean): ListAndWatchResponse['devices'] =>
  Array.from({ length: count }, (_, index) => ({ ID: `${name}${index}`, health: healthy ? 'Healthy' : 'Unhealthy' }))

const bind = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()))
  })

async function register(folder: string, endpoint: string, resourceName: string): Promise<void> {
  const client = new RegistrationClient(`unix:${join(folder, kubeletSocket)}`, credentials.createInsecure())
  const request = { version: 'v1beta1', endpoint, resourceName, options: undefined }
  const deadline = Date.now() + registrationTimeoutMs
  try {
    await new Promise<void>((resolve, reject) => {
      client.register(request, new Metadata(), { deadline }, (error) => (error ? reject(error) : resolve()))
    })
  } finally {
    client.close()
  }
}
