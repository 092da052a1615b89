import { rm } from 'node:fs/promises'
import { Server, ServerCredentials, status, type handleUnaryCall, type sendUnaryData } from '@grpc/grpc-js'
import { channelOptions, unixTarget } from './unix-socket.ts'
import type { Handlers, UnaryImplementation, UnaryService } from './unary-service.ts'

/** A service with its handlers, ready to be served beside others on one socket. */
export type Served = { readonly service: UnaryService; readonly implementation: UnaryImplementation }

export type RpcServer = {
  /** Stops listening, lets running calls finish for up to a second, then cuts them. */
  close(): Promise<void>
}

/** Pairs a service with its handlers. Fields that an answer leaves out are sent as their zero value. */
export function served<S extends UnaryService>(service: S, handlers: Handlers<S>): Served {
  const implementation = Object.entries(service).map(([rpc, { responseDeserialize }]) => {
    const zeroValues = responseDeserialize(Buffer.alloc(0)) as object
    return [rpc, toUnary(handlers[rpc]!, zeroValues)] as const
  })
  return { service, implementation: Object.fromEntries(implementation) }
}

/**
 * Listens on a unix socket. A socket file that a killed predecessor left there is replaced.
 * Rejects with the reason when the socket cannot be made.
 */
export async function serveOnSocket(socketPath: string, services: readonly Served[]): Promise<RpcServer> {
  const server = new Server(channelOptions)
  for (const { service, implementation } of services) server.addService(service, implementation)
  await rm(socketPath, { force: true })
  await listen(server, socketPath)
  return { close: () => close(server) }
}

type Handler = (request: never) => Promise<object>

function toUnary(handler: Handler, zeroValues: object): handleUnaryCall<unknown, unknown> {
  return (call, callback) => void answer(handler(call.request as never), zeroValues, callback)
}

async function answer(pending: Promise<object>, zeroValues: object, send: sendUnaryData<unknown>): Promise<void> {
  try {
    send(null, { ...zeroValues, ...(await pending) })
  } catch (error) {
    send({ code: status.INTERNAL, details: messageOf(error) })
  }
}

function listen(server: Server, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.bindAsync(unixTarget(socketPath), ServerCredentials.createInsecure(), (error) => {
      if (error) reject(new Error(`cannot listen on ${socketPath}: ${error.message}`, { cause: error }))
      else resolve()
    })
  })
}

async function close(server: Server): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  // A peer that hangs would keep its connection, and with it this server, for as long as it likes.
  const impatient = setTimeout(() => {
    server.forceShutdown()
    resolve()
  }, 1_000)
  server.tryShutdown(() => resolve())
  await closed
  clearTimeout(impatient)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
