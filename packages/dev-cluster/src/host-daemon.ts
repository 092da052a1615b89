import { createServer } from 'node:net'
import { tryCommand } from './process/command.ts'
import type { Cluster } from './cluster.ts'
import { Failure } from './failure.ts'
import { createCgroup } from './process/cgroup.ts'
import { ensureDaemon, runningDaemon } from './process/daemon.ts'
import type { Daemon, DaemonHome } from './process/daemon.ts'
import type { Step } from './steps.ts'

/** An address that a daemon listens on. */
export type Endpoint = { readonly host: string; readonly port: number }

/** A daemon in the host's own namespaces. */
export type HostDaemon = Omit<Daemon, 'argv'> & {
  readonly endpoints: readonly Endpoint[]
  /** Writes its configuration. */
  prepare?(): Promise<void>
  /** Its command line, known once its program is there. */
  argv(): readonly string[]
}

/** Where the host's own processes of a cluster leave their records. */
export const hostHome = ({ state, cgroup }: Pick<Cluster, 'state' | 'cgroup'>): DaemonHome => ({
  state,
  cgroup: `${cgroup}/host`,
})

/** The step that makes sure a daemon runs on the host and is ready. */
export function hostDaemonStep(cluster: Cluster, daemon: HostDaemon): Step {
  return {
    title: `${daemon.name} ready`,
    async run() {
      const home = hostHome(cluster)
      createCgroup(home.cgroup)
      await daemon.prepare?.()
      if (!runningDaemon(home, daemon.name)) {
        for (const endpoint of daemon.endpoints) await requireFree(endpoint, daemon.name)
      }
      return (await ensureDaemon(home, { ...daemon, argv: daemon.argv() })) ? undefined : 'was running'
    },
  }
}

async function requireFree({ host, port }: Endpoint, user: string): Promise<void> {
  if (await isFree(host, port)) return
  const { stdout } = await tryCommand(['ss', '-Hltnp', `sport = :${port}`])
  throw new Failure('PortInUse', `${user} needs ${host}:${port}, and another program listens there`, {
    output: stdout,
    remedy: `end that program, or use a cluster of another name, which gets other ports`,
  })
}

/** Whether nobody listens at an address of this machine. */
export function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(false))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
