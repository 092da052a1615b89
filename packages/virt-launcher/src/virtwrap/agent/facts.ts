import type {
  GuestAgentCommandInfo,
  VirtualMachineInstanceFileSystem,
  VirtualMachineInstanceGuestAgentInfo,
  VirtualMachineInstanceGuestOSUser,
} from '@kubevirt-ts/api'
import type { GuestFacts } from '../domain-report.ts'
import type { GuestLoad } from './answers.ts'

/** What the guest's agent told last and virt-handler has to ask for; the rest is in `GuestFacts`. */
export type AgentFacts = {
  readonly version?: string
  readonly commands?: readonly GuestAgentCommandInfo[]
  readonly hostname?: string
  readonly timezone?: string
  readonly users?: readonly VirtualMachineInstanceGuestOSUser[]
  readonly filesystems?: readonly VirtualMachineInstanceFileSystem[]
  readonly load?: GuestLoad
}

/** Of users and file systems the overview shows no more; both have a list of their own. */
const overview = 10

/** The answer to `guestosinfo`. */
export function guestAgentInfo(agent: AgentFacts, facts: GuestFacts): VirtualMachineInstanceGuestAgentInfo {
  const { version, commands, hostname, timezone, users = [], filesystems = [] } = agent
  return {
    guestAgentVersion: version,
    supportedCommands: commands === undefined ? undefined : [...commands],
    hostname,
    os: facts.osInfo,
    timezone,
    userList: users.slice(0, overview),
    fsInfo: { disks: filesystems.slice(0, overview) },
    fsFreezeStatus: facts.fsFreezeStatus,
  }
}
