import { cmdRpcs, serveCmd, type CmdHandlers, type CmdRpc } from '../cmd.ts'

export type FakeLauncher = AsyncDisposable & {
  /** The RPCs asked so far, in order. */
  readonly calls: readonly CmdRpc[]
}

/**
 * A launcher that answers every RPC with success and nothing else, but for those in `answers`.
 * Listens on `socketPath` until disposed of.
 */
export async function startFakeLauncher(
  socketPath: string,
  answers: Partial<CmdHandlers> = {},
  abilities: Parameters<typeof serveCmd>[2] = { holdsEarlyGuests: true },
): Promise<FakeLauncher> {
  const calls: CmdRpc[] = []
  const success = async () => ({ success: true, message: '', response: { success: true, message: '' } })
  const handler = (rpc: CmdRpc) => (request: never, context: never) => {
    calls.push(rpc)
    return ((answers[rpc] ?? success) as (request: never, context: never) => Promise<unknown>)(request, context)
  }
  const handlers = Object.fromEntries(cmdRpcs.map((rpc) => [rpc, handler(rpc)])) as unknown as CmdHandlers
  const server = await serveCmd(socketPath, handlers, abilities)
  return { calls, [Symbol.asyncDispose]: () => server.close() }
}
