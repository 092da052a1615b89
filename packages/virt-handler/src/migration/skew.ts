import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { type CmdClient, migrationPorts, supportedCmdVersions } from '@kubevirt-ts/handler-launcher-com'
import { VirtError } from '@kubevirt-ts/service'
import { copiesDisks } from '@kubevirt-ts/vmispec'

/** Throws where the launcher at this end of a move is of a release whose words this agent does not know. */
export async function ensureUnderstood({ info }: Pick<CmdClient, 'info'>): Promise<void> {
  const theirs = (await info({})).supportedCmdVersions
  if (theirs.some((version) => supportedCmdVersions.includes(version))) return
  throw new VirtError(
    'LauncherVersionSkew',
    `the launcher speaks version ${theirs.join(', ') || 'unknown'} of the Cmd service and this agent ${supportedCmdVersions.join(', ')}; virt-handler must be updated on this node`,
  )
}

/** The conversations of a guest's move. */
export function conversationsOf(vmi: VirtualMachineInstance): number[] {
  const { control, memory, disks } = migrationPorts
  return [control, memory, ...(copiesDisks(vmi) ? [disks] : [])]
}

const nouns: Readonly<Record<number, string>> = {
  [migrationPorts.control]: 'libvirt',
  [migrationPorts.memory]: 'the memory',
  [migrationPorts.disks]: 'copied disks',
}

/** Throws where the target's agent is of a release that did not open a door for each of a move's conversations. */
export function ensureDoors(vmi: VirtualMachineInstance, ports: Readonly<Record<string, number>>): void {
  const open = Object.values(ports)
  const missing = conversationsOf(vmi).filter((port) => !open.includes(port))
  if (missing.length === 0) return
  const what = missing.map((port) => nouns[port]).join(', ')
  throw new VirtError(
    'TargetVersionSkew',
    `the agent of the target node opened no port for ${what}; it is of another version`,
  )
}
