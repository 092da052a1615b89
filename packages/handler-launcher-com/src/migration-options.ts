/** How a launcher is to move its guest: `options` of MigrateVirtualMachine, as JSON with KubeVirt's names. */
export interface MigrationOptions {
  /** Bytes per second; 0 for no limit. */
  readonly Bandwidth: number
  /** Seconds in which less must be left to copy than before. */
  readonly ProgressTimeout: number
  /** Seconds for each GB of memory and copied disks; 0 for no limit. */
  readonly CompletionTimeoutPerGiB: number
  /** How long the guest may stand still; used where it is given. */
  readonly MaxDowntimeMs?: number
  readonly UnsafeMigration: boolean
  readonly AllowAutoConverge: boolean
  readonly AllowPostCopy: boolean
  readonly AllowWorkloadDisruption: boolean
  readonly ParallelMigrationThreads?: number
}

/** Ports of a migration: libvirt's own conversation, the guest's memory, its disks. */
export const migrationPorts = { control: 0, memory: 49152, disks: 49153 } as const

/** Folder of the proxies' sockets below the launcher's share folder. */
export const migrationProxyFolder = 'migrationproxy'

/** The proxy's socket for one port of a migration, at the source and, for memory and disks, at the target too. */
export function migrationSocket(uid: string, port: number): string {
  return port === migrationPorts.control ? `${uid}-source.sock` : `${uid}-${port}-source.sock`
}
