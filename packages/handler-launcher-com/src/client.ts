import { Client, connectivityState, credentials, status, type ServiceError } from '@grpc/grpc-js'
import { channelOptions, unixTarget } from './unix-socket.ts'
import type { CallOptions, Calls, UnaryService } from './unary-service.ts'

export type Connection = {
  /** Ends the connection; calls under way fail with CANCELLED. */
  close(): void
  /** Calls back each time the connection is there: at first and after each loss. Ends with `close`. */
  onConnected(listener: () => void): void
}

export type RpcClient<S extends UnaryService> = Connection & Calls<S>

/** A failed call: the RPC's name, gRPC's status code and the server's words. */
export class RpcError extends Error {
  readonly rpc: string
  readonly code: number
  constructor(rpc: string, { code, details }: Pick<ServiceError, 'code' | 'details'>, socketPath: string) {
    super(`${rpc} on ${socketPath} failed: ${details}`)
    this.name = 'RpcError'
    this.rpc = rpc
    this.code = code
  }

  /** There was no answer in time; what was asked for may be done all the same. */
  get isLate(): boolean {
    return this.code === status.DEADLINE_EXCEEDED
  }
}

// A launcher or handler that restarts is back within a second; the default back-off would wait for up to two minutes.
const reconnect = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
}

/**
 * A client of one service on a unix socket. Connects at the first call and again when needed; a call made while
 * nobody listens fails at once with UNAVAILABLE.
 * @param deadlineMs the RPC's default deadline
 */
export function clientOnSocket<S extends UnaryService>(
  socketPath: string,
  service: S,
  deadlineMs: (rpc: keyof S & string, request: object) => number,
): RpcClient<S> {
  const client = new Client(unixTarget(socketPath), credentials.createInsecure(), {
    ...channelOptions,
    ...reconnect,
    'grpc.enable_http_proxy': 0,
    // Clients of one socket must not share a connection: closing one would not close the other's.
    'grpc.use_local_subchannel_pool': 1,
  })
  const call = (rpc: keyof S & string) => {
    const method = service[rpc]!
    const zeroes = zeroValues(method.requestDeserialize)
    return (request: object, options: CallOptions = {}) =>
      unary(client, method, {
        rpc,
        message: { ...zeroes, ...request },
        socketPath,
        timeoutMs: options.timeoutMs ?? deadlineMs(rpc, request),
      })
  }
  const calls = Object.fromEntries(Object.keys(service).map((rpc) => [rpc, call(rpc)])) as unknown as Calls<S>
  const connection: Connection = {
    close: () => client.close(),
    onConnected: (listener) => watchConnection(client, listener),
  }
  return Object.assign(calls, connection)
}

type Call = { rpc: string; message: object; socketPath: string; timeoutMs: number }

/** The deadline is this side's alone: telling it with each call would have both sides write, read and time it. */
function unary(client: Client, method: UnaryService[string], call: Call): Promise<never> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const late = setTimeout(() => {
      isLate = true
      running.cancel()
    }, call.timeoutMs)
    const done = (error: ServiceError | null, response: unknown): void => {
      clearTimeout(late)
      if (!error) return resolve(response as never)
      const tooLate = { code: status.DEADLINE_EXCEEDED, details: `no answer within ${call.timeoutMs} ms` }
      reject(new RpcError(call.rpc, isLate ? tooLate : error, call.socketPath))
    }
    const { path, requestSerialize, responseDeserialize } = method
    const running = client.makeUnaryRequest(path, requestSerialize, responseDeserialize, call.message, done)
  })
}

/** The message in which no field is set: what no bytes at all decode to. */
function zeroValues(decode: (bytes: Buffer) => object): object {
  return decode(Buffer.alloc(0))
}

function watchConnection(client: Client, listener: () => void): void {
  const channel = client.getChannel()
  const follow = (state: connectivityState): void => {
    if (state === connectivityState.SHUTDOWN) return
    if (state === connectivityState.READY) listener()
    channel.watchConnectivityState(state, Infinity, (error) => {
      if (!error) follow(channel.getConnectivityState(true))
    })
  }
  follow(channel.getConnectivityState(true))
}
