import { join } from 'node:path'
import type { LauncherOptions } from './options.ts'
import type { Paths } from './virtwrap/converter/index.ts'

/** Where things are in a launcher's pod. */
export type Places = {
  /** The guest's own files. */
  readonly guest: Paths
  readonly commandInitSocket: string
  /** The name of the command socket from the moment that the launcher answers on it. */
  readonly commandSocket: string
  readonly notifySocket: string
  /** libvirt's folders: XDG_RUNTIME_DIR, XDG_CONFIG_HOME and XDG_CACHE_HOME. */
  readonly runtime: string
  readonly config: string
  readonly cache: string
  readonly qemuPidFile: string
  readonly serialLog: string
}

/** libvirt has other folders for a root of its own than for a user. */
const systemRuntime = '/run'

type Environment = Readonly<Record<string, string | undefined>>

/** All places of a launcher, from its options, the pod's environment, and whether it is root. */
export function placesOf(options: LauncherOptions, env: Environment, root = false): Places {
  const { shareDir, privateDir, namespace, name } = options
  const runtime = root ? systemRuntime : (env.XDG_RUNTIME_DIR ?? '/var/run')
  const config = env.XDG_CONFIG_HOME ?? privateDir
  const consoles = join(privateDir, options.uid)
  return {
    guest: {
      consoles,
      containerDisks: options.containerDiskDir,
      ephemeralDisks: options.ephemeralDiskDir,
      emptyDisks: join(runtime, 'libvirt/empty-disks'),
      cloudInit: join(options.ephemeralDiskDir, 'cloud-init-data', namespace, name),
      ignition: join(options.ephemeralDiskDir, 'ignition-data', namespace, name),
      vmiDisks: join(privateDir, 'vmi-disks'),
      hotplugDisks: options.hotplugDiskDir,
      private: privateDir,
      nvram: join(config, 'libvirt/qemu/nvram'),
      virtiofs: join(shareDir, 'virtiofs-containers'),
      share: shareDir,
    },
    commandInitSocket: join(shareDir, 'sockets/launcher-init-sock'),
    commandSocket: join(shareDir, 'sockets/launcher-sock'),
    notifySocket: join(shareDir, 'domain-notify-pipe.sock'),
    runtime,
    config,
    cache: env.XDG_CACHE_HOME ?? privateDir,
    qemuPidFile: join(runtime, root ? 'libvirt/qemu' : 'libvirt/qemu/run', `${namespace}_${name}.pid`),
    serialLog: join(consoles, 'virt-serial0-log'),
  }
}
