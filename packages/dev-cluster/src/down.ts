import { readFile, rm, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { cgroupOf, checkName, clusterOf, nodeName, nodesOf, readRecord, readRecords } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { controlPlane } from './control-plane/start.ts'
import { Failure } from './failure.ts'
import { changing, withLock } from './lock.ts'
import { removeNetwork } from './network.ts'
import { endNode } from './node/start.ts'
import { defaultCluster, stateDir, stateRoot } from './paths.ts'
import { removeCgroup, removeEmptyCgroup } from './process/cgroup.ts'
import { endDaemon } from './process/daemon.ts'
import { restoreSysctls } from './sysctls.ts'
import { runSteps } from './steps.ts'
import type { Progress, Step } from './steps.ts'

/**
 * Ends a local cluster and removes everything of it: processes, namespaces, cgroups, network, files.
 * The caches stay. Does nothing when there is no such cluster.
 * @throws Failure
 */
export async function clusterDown(name: string = defaultCluster, onProgress?: Progress): Promise<void> {
  checkName(name)
  const record = await readRecord(name).catch(() => undefined)
  await withLock(changing(name), () => runSteps(record ? steps(clusterOf(record)) : remains(name), onProgress))
  if ((await readRecords()).length > 0) return
  await restoreSysctls()
  await rmdir(stateRoot()).catch(() => {})
}

// Without a readable record: what its name alone leads to.
const remains = (name: string): Step[] => [cgroupsGone(cgroupOf(name)), filesGone(name)]

const steps = (cluster: Cluster): Step[] => [
  {
    title: 'nodes ended',
    async run() {
      for (const node of nodesOf(cluster)) await endNode(cluster, node)
      return nodesOf(cluster)
        .map((node) => nodeName(cluster, node))
        .join(', ')
    },
  },
  {
    title: 'control plane and registry ended',
    async run() {
      for (const name of [...controlPlane.toReversed(), 'registry']) await endDaemon(cluster, name)
    },
  },
  cgroupsGone(cluster.cgroup),
  { title: 'network removed', run: () => removeNetwork(cluster) },
  filesGone(cluster.name),
]

const cgroupsGone = (cgroup: string): Step => ({
  title: 'cgroups removed',
  async run() {
    if (!(await removeCgroup(cgroup))) {
      throw new Failure('ProcessesLeft', `processes in the cgroup ${cgroup} do not end`, {
        remedy: 'a process that waits for a device cannot be ended: restart the machine, then run down again',
      })
    }
    removeEmptyCgroup(dirname(cgroup))
  },
})

const filesGone = (name: string): Step => ({
  title: 'files removed',
  async run() {
    const state = stateDir(name)
    const mounts = (await readFile('/proc/mounts', 'utf8'))
      .split('\n')
      .filter((line) => line.split(' ')[1]?.startsWith(`${state}/`))
    if (mounts.length > 0) {
      throw new Failure('StillMounted', `something is mounted in ${state}`, {
        output: mounts.join('\n'),
        remedy: 'unmount it and run down again',
      })
    }
    await rm(state, { recursive: true, force: true })
  },
})
