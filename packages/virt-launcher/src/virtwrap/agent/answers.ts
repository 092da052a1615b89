import type {
  GuestAgentCommandInfo,
  VirtualMachineInstanceFileSystem,
  VirtualMachineInstanceGuestOSUser,
} from '@kubevirt-ts/api'
import type { GuestOSInfo, InterfaceStatus } from '@kubevirt-ts/domain'

// The guest decides what these hold, so each is read field by field and no list is longer than this.
const mostInterfaces = 256
const mostAddresses = 32
const mostUsers = 1_000
const mostFilesystems = 1_000
const mostCommands = 500
const longestText = 1_024

type Answer = Readonly<Record<string, unknown>>

/** `guest-get-osinfo` */
export function readOsInfo(answer: unknown): GuestOSInfo {
  const of = fields(answer)
  return {
    name: text(of.name),
    kernelRelease: text(of['kernel-release']),
    version: text(of.version),
    prettyName: text(of['pretty-name']),
    versionId: text(of['version-id']),
    kernelVersion: text(of['kernel-version']),
    machine: text(of.machine),
    id: text(of.id),
  }
}

/** `guest-network-get-interfaces`, without the guest's loopback; IPv4 addresses come first. */
export function readInterfaces(answer: unknown): InterfaceStatus[] {
  return list(answer, mostInterfaces)
    .filter(({ name }) => name !== 'lo')
    .map((each) => {
      const found = list(each['ip-addresses'], mostAddresses).flatMap((address) => {
        const ip = text(address['ip-address'])
        return ip === undefined ? [] : [{ ip, four: address['ip-address-type'] === 'ipv4' }]
      })
      const ips = [...found.filter(({ four }) => four), ...found.filter(({ four }) => !four)].map(({ ip }) => ip)
      return {
        interfaceName: text(each.name),
        mac: text(each['hardware-address']),
        ...(ips.length === 0 ? {} : { ip: ips[0], ips }),
      }
    })
}

/** `guest-get-users` */
export function readUsers(answer: unknown): VirtualMachineInstanceGuestOSUser[] {
  return list(answer, mostUsers).map((each) => ({
    userName: text(each.user) ?? '',
    ...(text(each.domain) ? { domain: text(each.domain) } : {}),
    loginTime: number(each['login-time']),
  }))
}

/** `guest-get-fsinfo` */
export function readFilesystems(answer: unknown): VirtualMachineInstanceFileSystem[] {
  return list(answer, mostFilesystems).map((each) => ({
    diskName: text(each.name) ?? '',
    mountPoint: text(each.mountpoint) ?? '',
    fileSystemType: text(each.type) ?? '',
    usedBytes: number(each['used-bytes']),
    totalBytes: number(each['total-bytes']),
    disk: list(each.disk, mostFilesystems).map((disk) => ({
      busType: text(disk['bus-type']) ?? '',
      ...(text(disk.serial) ? { serial: text(disk.serial) } : {}),
    })),
  }))
}

/** `guest-info`: the agent's version and what it can be asked. */
export function readAgentInfo(answer: unknown): { version: string; commands: GuestAgentCommandInfo[] } {
  const of = fields(answer)
  const commands = list(of.supported_commands, mostCommands).map((each) => ({
    name: text(each.name) ?? '',
    enabled: each.enabled === true,
  }))
  return { version: text(of.version) ?? '', commands }
}

/** `guest-get-timezone` in KubeVirt's form: `UTC, 0`. */
export function readTimezone(answer: unknown): string {
  const { zone, offset } = fields(answer)
  return `${text(zone) ?? ''}, ${number(offset)}`
}

/** `guest-get-host-name` */
export const readHostname = (answer: unknown): string => text(fields(answer)['host-name']) ?? ''

/** `guest-fsfreeze-status` */
export const readFreezeStatus = (answer: unknown): 'frozen' | 'thawed' => (answer === 'frozen' ? 'frozen' : 'thawed')

/** Average numbers of runnable processes during the last 1, 5 and 15 minutes. */
export type GuestLoad = { readonly m1: number; readonly m5: number; readonly m15: number }

/** `guest-get-load` */
export function readLoad(answer: unknown): GuestLoad {
  const { load1m, load5m, load15m } = fields(answer)
  return { m1: number(load1m), m5: number(load5m), m15: number(load15m) }
}

function fields(answer: unknown): Answer {
  return typeof answer === 'object' && answer !== null ? (answer as Answer) : {}
}

function list(answer: unknown, most: number): Answer[] {
  return Array.isArray(answer) ? answer.slice(0, most).map(fields) : []
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, longestText) : undefined
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
