import { CmdInfoService } from './generated/kubevirt/cmd/info/info.ts'
import { CmdService } from './generated/kubevirt/cmd/v1/cmd.ts'
import { clientOnSocket, type RpcClient } from './client.ts'
import { served, serveOnSocket, type RpcServer } from './server.ts'
import type { Handlers } from './unary-service.ts'

export type CmdRpc = keyof typeof CmdService
export type CmdHandlers = Handlers<typeof CmdService>
export type CmdClient = RpcClient<typeof callable>

const callable = { ...CmdService, ...CmdInfoService }

/** Every RPC a launcher answers, by its name in TypeScript. */
export const cmdRpcs: readonly CmdRpc[] = Object.keys(CmdService) as CmdRpc[]

/** Versions of the Cmd service that this side speaks. */
export const supportedCmdVersions: readonly number[] = [1]

export type CmdTimeouts = {
  /** Questions that the launcher answers from memory. Default 5 s. */
  readonly shortMs?: number
  /** Changes of the guest. Default 20 s. */
  readonly longMs?: number
  /** What waits for the guest agent or writes a file as large as the guest's memory. Default 60 s. */
  readonly extendedMs?: number
}

const short: ReadonlySet<string> = new Set<keyof typeof callable>([
  'info',
  'ping',
  'getDomain',
  'getDomainStats',
  'getQemuVersion',
  'getSevInfo',
])
const extended: ReadonlySet<string> = new Set<CmdRpc>([
  'freezeVirtualMachine',
  'unfreezeVirtualMachine',
  'virtualMachineMemoryDump',
  'backupVirtualMachine',
  'redefineCheckpoint',
  'getVmStats',
])

/**
 * The handler's side: calls the launcher that listens on `socketPath`.
 * `exec` and `guestPing` get the time that the request allows, and a second for the way.
 */
export function createCmdClient(socketPath: string, { timeouts = {} }: { timeouts?: CmdTimeouts } = {}): CmdClient {
  const { shortMs = 5_000, longMs = 20_000, extendedMs = 60_000 } = timeouts
  return clientOnSocket(socketPath, callable, (rpc, request) => {
    if ('timeoutSeconds' in request && Number(request.timeoutSeconds) > 0)
      return Number(request.timeoutSeconds) * 1_000 + 1_000
    if (short.has(rpc)) return shortMs
    return extended.has(rpc) ? extendedMs : longMs
  })
}

/**
 * The launcher's side: answers on `socketPath`, together with the question for its versions.
 * @param holdsEarlyGuests whether a guest waits for its VMI to be handed over
 */
export function serveCmd(
  socketPath: string,
  handlers: CmdHandlers,
  { holdsEarlyGuests = false } = {},
): Promise<RpcServer> {
  const info = async () => ({ supportedCmdVersions: [...supportedCmdVersions], holdsEarlyGuests })
  return serveOnSocket(socketPath, [served(CmdService, handlers), served(CmdInfoService, { info })])
}
