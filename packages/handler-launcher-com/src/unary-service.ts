import type { handleUnaryCall, MethodDefinition } from '@grpc/grpc-js'

/** One method of a generated service table. */
// The two message types differ per method; only the table as a whole knows them.
type AnyMethod = MethodDefinition<any, any>

/** A generated service table whose methods all take one message and answer one. */
export type UnaryService = Readonly<Record<string, AnyMethod>>

type RequestOf<M> = M extends { requestSerialize: (value: infer Request) => unknown } ? Request : never
type ResponseOf<M> = M extends { responseDeserialize: (value: never) => infer Response } ? Response : never

/** What a server must implement: a function per RPC. A thrown error reaches the caller as a gRPC error. */
export type Handlers<S extends UnaryService> = {
  readonly [Rpc in keyof S]: (request: RequestOf<S[Rpc]>) => Promise<Partial<ResponseOf<S[Rpc]>>>
}

export type CallOptions = {
  /** Instead of the RPC's own deadline. */
  readonly timeoutMs?: number
}

/** What a caller sees: a function per RPC. Fields that are left out are sent as their zero value. */
export type Calls<S extends UnaryService> = {
  readonly [Rpc in keyof S]: (request: Partial<RequestOf<S[Rpc]>>, options?: CallOptions) => Promise<ResponseOf<S[Rpc]>>
}

export type UnaryImplementation = Record<string, handleUnaryCall<unknown, unknown>>
