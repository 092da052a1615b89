import { credentials, Metadata, Server, ServerCredentials, type ServerWritableStream, status } from '@grpc/grpc-js'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  AllocateResponse,
  type ContainerAllocateRequest,
  type ContainerAllocateResponse,
  type Device,
  type DevicePluginServer,
  DevicePluginService,
  type Empty,
  type ListAndWatchResponse,
  RegistrationClient,
} from '../../generated/deviceplugin/v1beta1/api.ts'
import type { PluginDevice, PluginUnit } from './plugin-device.ts'

export const kubeletSocket = 'kubelet.sock'

const registrationTimeoutMs = 5_000
const farewellTimeoutMs = 1_000

export interface PluginServer {
  readonly socketName: string
  /** Tells the kubelet which units there are and which can be used, if that differs from what it was told last. */
  show(device: PluginDevice): void
  /** Whether the kubelet listens to this very server; it takes devices of which it hears nothing for gone. */
  isHeard(): boolean
  /** Tells the kubelet that there is no unit any more: the node's capacity is 0 at once, not after minutes. */
  withdraw(): Promise<void>
  close(): void
}

type Watchers = Set<ServerWritableStream<Empty, ListAndWatchResponse>>

/** What is offered, and what the kubelet was told of it. */
interface Shown {
  device: PluginDevice
  list: Device[]
}

/**
 * Serves one resource in the kubelet's device-plugins folder and registers it. Throws when the kubelet does not accept
 * it.
 */
export async function servePlugin(device: PluginDevice, folder: string): Promise<PluginServer> {
  const socketName = `kubevirt-${device.name}.sock`
  const watchers: Watchers = new Set()
  const shown: Shown = { device, list: deviceList(device) }
  const server = new Server()
  server.addService(DevicePluginService, handlersFor(shown, watchers))
  await rm(join(folder, socketName), { force: true })
  try {
    await bind(server, join(folder, socketName))
    await register(folder, socketName, device.resourceName)
  } catch (error) {
    server.forceShutdown()
    throw error
  }
  return {
    socketName,
    show(now) {
      shown.device = now
      const list = deviceList(now)
      if (isDeepStrictEqual(list, shown.list)) return
      shown.list = list
      for (const watcher of watchers) watcher.write({ devices: list })
    },
    isHeard: () => watchers.size > 0,
    withdraw: () => Promise.race([sayFarewell(watchers), delay(farewellTimeoutMs, undefined, { ref: false })]),
    close: () => server.forceShutdown(),
  }
}

function handlersFor(shown: Shown, watchers: Watchers): DevicePluginServer {
  return {
    getDevicePluginOptions: (_, reply) =>
      reply(null, { preStartRequired: false, getPreferredAllocationAvailable: false }),
    listAndWatch(call) {
      watchers.add(call)
      call.on('close', () => watchers.delete(call))
      call.on('cancelled', () => watchers.delete(call))
      call.write({ devices: shown.list })
    },
    allocate(call, reply) {
      try {
        const containerResponses = call.request.containerRequests.map((request) => allocation(shown.device, request))
        reply(null, AllocateResponse.fromPartial({ containerResponses }))
      } catch (error) {
        reply({ code: status.NOT_FOUND, details: (error as Error).message })
      }
    },
    getPreferredAllocation: (_, reply) => reply(null, { containerResponses: [] }),
    preStartContainer: (_, reply) => reply(null, {}),
  }
}

/** Throws for a unit that is not there: a guest must not start without what it asked for. */
function allocation(
  device: PluginDevice,
  { devicesIds }: ContainerAllocateRequest,
): Partial<ContainerAllocateResponse> {
  const units = devicesIds.map((id) => device.units.find((unit) => unit.id === id && isThere(unit)) ?? id)
  const missing = units.find((unit) => typeof unit === 'string')
  if (missing !== undefined) throw new Error(`${missing} of ${device.resourceName} is no longer on this node`)
  return device.allocate(units.filter((unit) => typeof unit !== 'string'))
}

const isThere = ({ files }: PluginUnit): boolean => files.every((file) => existsSync(file))

function deviceList({ units }: PluginDevice): Device[] {
  const seen = new Map<string, boolean>()
  const exists = (file: string): boolean => {
    const known = seen.get(file) ?? existsSync(file)
    seen.set(file, known)
    return known
  }
  return units.map(({ id, files, numaNode }) => ({
    ID: id,
    health: files.every(exists) ? 'Healthy' : 'Unhealthy',
    ...(numaNode === undefined ? {} : { topology: { nodes: [{ ID: BigInt(numaNode) }] } }),
  }))
}

async function sayFarewell(watchers: Watchers): Promise<void> {
  const closings = [...watchers].map((watcher) => {
    const closed = new Promise<void>((resolve) => watcher.once('close', resolve))
    watcher.write({ devices: [] })
    watcher.end()
    return closed
  })
  await Promise.all(closings)
}

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
