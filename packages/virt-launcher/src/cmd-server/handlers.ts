import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import {
  cmdRpcs,
  decodeJson,
  decodeVmi,
  type CmdHandlers,
  type CmdRpc,
  type ExecRequest,
  type FreezeRequest,
  type GuestPingRequest,
  type MemoryDumpRequest,
  type MigrationOptions,
  type MigrationRequest,
  type Response,
  type VMIRequest,
} from '@kubevirt-ts/handler-launcher-com'
import { Lane } from '@kubevirt-ts/service'
import type { Launcher } from '../virtwrap/launcher.ts'
import { cancelMigration, startMigration } from '../virtwrap/migration/source.ts'
import { finalizeMigration, prepareTarget } from '../virtwrap/migration/target.ts'
import { deleteDomain } from '../virtwrap/operations/delete.ts'
import { getSettledDomain } from '../virtwrap/operations/get-domain.ts'
import { getDomainStats } from '../virtwrap/operations/get-domain-stats.ts'
import { exec, guestPing } from '../virtwrap/operations/guest-agent.ts'
import { kill } from '../virtwrap/operations/kill.ts'
import { pause } from '../virtwrap/operations/pause.ts'
import { dirtyRate } from '../virtwrap/operations/dirty-rate.ts'
import { freeze, unfreeze } from '../virtwrap/operations/freeze.ts'
import { memoryDump } from '../virtwrap/operations/memory-dump.ts'
import { screenshot } from '../virtwrap/operations/screenshot.ts'
import { guestAgentInfo } from '../virtwrap/agent/facts.ts'
import { reset } from '../virtwrap/operations/reset.ts'
import { shutdown } from '../virtwrap/operations/shutdown.ts'
import { softReboot } from '../virtwrap/operations/soft-reboot.ts'
import { syncCpus } from '../virtwrap/operations/sync-cpus.ts'
import { syncMemory } from '../virtwrap/operations/sync-memory.ts'
import { sync } from '../virtwrap/operations/sync.ts'
import { unpause } from '../virtwrap/operations/unpause.ts'
import { refusalText } from './refusal.ts'

const ok: Response = { success: true, message: '' }

/** The table of everything a launcher can be asked. What is not built yet refuses by its name. */
export function cmdHandlers(launcher: Launcher): CmdHandlers {
  const { change, viaAgent, answer } = wrappers(launcher)
  const built: Partial<CmdHandlers> = {
    syncVirtualMachine: change('syncVirtualMachine', (vmi, { options }) => sync(vmi, options, launcher)),
    pauseVirtualMachine: change('pauseVirtualMachine', () => pause(launcher)),
    unpauseVirtualMachine: change('unpauseVirtualMachine', () => unpause(launcher)),
    resetVirtualMachine: change('resetVirtualMachine', () => reset(launcher)),
    softRebootVirtualMachine: change('softRebootVirtualMachine', (vmi) => softReboot(vmi, launcher)),
    shutdownVirtualMachine: change('shutdownVirtualMachine', () => shutdown(launcher)),
    killVirtualMachine: change('killVirtualMachine', () => kill(launcher)),
    deleteVirtualMachine: change('deleteVirtualMachine', () => deleteDomain(launcher)),
    syncMigrationTarget: change('syncMigrationTarget', (vmi, { options }) => prepareTarget(vmi, options, launcher)),
    finalizeVirtualMachineMigration: change('finalizeVirtualMachineMigration', (vmi) =>
      finalizeMigration(vmi, launcher),
    ),
    migrateVirtualMachine: change('migrateVirtualMachine', (vmi, request: MigrationRequest) =>
      startMigration(vmi, decodeJson<Partial<MigrationOptions>>(request.options) ?? {}, launcher),
    ),
    cancelVirtualMachineMigration: change('cancelVirtualMachineMigration', (vmi) => cancelMigration(vmi, launcher)),
    syncVirtualMachineCpUs: change('syncVirtualMachineCpUs', (vmi) => syncCpus(vmi, launcher)),
    syncVirtualMachineMemory: change('syncVirtualMachineMemory', (vmi) => syncMemory(vmi, launcher)),
    ping: async () => ok,
    getDomain: answer('getDomain', async () => ({ domain: json(await getSettledDomain(launcher)) })),
    getDomainStats: answer('getDomainStats', async () => ({ domainStats: json(await getDomainStats(launcher)) })),
    getGuestInfo: answer('getGuestInfo', async () => ({
      guestInfoResponse: json(guestAgentInfo(launcher.state.agent, launcher.state.facts)),
    })),
    getUsers: answer('getUsers', async () => ({
      guestUserListResponse: json({ metadata: {}, items: launcher.state.agent.users ?? [] }),
    })),
    getFilesystems: answer('getFilesystems', async () => ({
      guestFilesystemsResponse: json({ metadata: {}, items: launcher.state.agent.filesystems ?? [] }),
    })),
    freezeVirtualMachine: viaAgent('freezeVirtualMachine', ({ unfreezeTimeoutSeconds }: FreezeRequest) =>
      freeze(unfreezeTimeoutSeconds, launcher),
    ),
    unfreezeVirtualMachine: viaAgent('unfreezeVirtualMachine', () => unfreeze(launcher)),
    virtualMachineMemoryDump: change('virtualMachineMemoryDump', (_, { dumpPath }: MemoryDumpRequest) =>
      memoryDump(dumpPath, launcher),
    ),
    getScreenshot: answer('getScreenshot', () => screenshot(launcher)),
    getDomainDirtyRateStats: answer('getDomainDirtyRateStats', async () => ({
      dirtyRateMbs: Number(await dirtyRate(launcher)),
    })),
    getLaunchMeasurement: unavailable('launch measurement', 'SEV'),
    injectLaunchSecret: unavailable('launch secrets', 'SEV'),
    getSevInfo: unavailable('SEV', 'SEV'),
    getQemuVersion: answer('getQemuVersion', async () => ({ version: await qemuVersion(launcher) })),
    exec: answer('exec', (request: ExecRequest) => exec(request, launcher)),
    guestPing: answer('guestPing', async (request: GuestPingRequest) => {
      await guestPing(request, launcher)
      return {}
    }),
  }
  return { ...refusals(), ...built } as CmdHandlers
}

function wrappers({ log, changes }: Launcher) {
  const agentRequests = new Lane()
  const failed = (rpc: CmdRpc, error: unknown): Response => {
    log.error({ error, rpc }, 'the request failed')
    return { success: false, message: refusalText(error) }
  }
  return {
    /** A change of the guest: alone, with the VMI decoded, and an error as an answer. */
    change:
      <Request extends Pick<VMIRequest, 'vmi'> = VMIRequest>(
        rpc: CmdRpc,
        operation: (vmi: VirtualMachineInstance, request: Request) => Promise<void>,
      ) =>
      async (request: Request): Promise<Response> => {
        try {
          const vmi = decodeVmi(request)
          await changes.run(() => operation(vmi, request))
          return ok
        } catch (error) {
          return failed(rpc, error)
        }
      },
    /** A request to the guest's agent, which may hang: it keeps out others of its kind, but no kill of the guest. */
    viaAgent:
      <Request>(rpc: CmdRpc, operation: (request: Request) => Promise<void>) =>
      async (request: Request): Promise<Response> => {
        try {
          await agentRequests.run(() => operation(request))
          return ok
        } catch (error) {
          return failed(rpc, error)
        }
      },
    /** A question, with its answer beside the verdict. */
    answer:
      <Request, T extends object>(rpc: CmdRpc, operation: (request: Request) => Promise<T>) =>
      async (request: Request) => {
        try {
          return { response: ok, ...(await operation(request)) }
        } catch (error) {
          return { response: failed(rpc, error) }
        }
      },
  }
}

function qemuVersion({ libvirt }: Launcher): Promise<string> {
  return libvirt.ask((_, connection) => connection.version())
}

/** What only another kind of host has. */
function unavailable(what: string, hardware: string) {
  const message = `NotAvailable: ${what} is not available: the guest does not run with ${hardware} on this host`
  return async () => ({ success: false, message, response: { success: false, message } })
}

function refusals(): object {
  const refuse = (rpc: CmdRpc) => {
    const refusal = {
      success: false,
      message: `NotAvailable: ${rpc} is not available in this version of virt-launcher`,
    }
    // Both shapes of answers: those with a verdict of their own, and those that carry one.
    return [rpc, async () => ({ ...refusal, response: refusal })] as const
  }
  return Object.fromEntries(cmdRpcs.map(refuse))
}

function json(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value)
}
