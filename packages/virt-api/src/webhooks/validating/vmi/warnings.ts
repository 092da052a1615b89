import type { VirtualMachineInstanceSpec } from '@kubevirt-ts/api'

const watchdogActions = ['reset', 'poweroff', 'shutdown']
const trayStates = ['open', 'closed']

/**
 * What the original admits although no guest can come of it, or not the one that is meant: whoever asks is told, and what
 * to write instead. `field` is where the spec is in its object.
 */
export function specWarnings({ domain, volumes = [] }: VirtualMachineInstanceSpec, field: string): string[] {
  const { disks = [], filesystems = [], watchdog } = domain.devices
  const devices = `${field}.domain.devices`
  const names = new Set(volumes.map(({ name }) => name))
  const shared = new Set(filesystems.map(({ name }) => name))
  const action = (watchdog?.i6300esb ?? watchdog?.diag288)?.action
  const warnings: (string | false)[] = [
    ...filesystems.map(
      ({ name }, index) =>
        !names.has(name) && `${devices}.filesystems[${index}]: there is no volume ${name}, so the guest can not start`,
    ),
    ...disks.map(
      ({ name }, index) =>
        shared.has(name) &&
        `${devices}.disks[${index}]: volume ${name} is shared as a filesystem, too; keep one of both`,
    ),
    ...disks.map(
      ({ cdrom }, index) =>
        Boolean(cdrom?.tray) &&
        !trayStates.includes(cdrom!.tray!) &&
        `${devices}.disks[${index}].cdrom.tray: ${cdrom!.tray} is unknown; use one of ${trayStates.join(', ')}`,
    ),
    Boolean(action) &&
      !watchdogActions.includes(action!) &&
      `${devices}.watchdog: action ${action} is unknown; use one of ${watchdogActions.join(', ')}`,
    String(domain.memory?.guest) === '0' && `${field}.domain.memory.guest: a guest without memory can not start`,
  ]
  return warnings.filter((warning) => warning !== false)
}
