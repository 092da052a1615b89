import { join } from 'node:path'
import { requireCluster } from './cluster.ts'
import { programKubeconfig } from './control-plane/certificates.ts'
import { auditLog } from './control-plane/flags.ts'
import { loadInto } from './images/load.ts'
import { registryAddressOf } from './images/registry.ts'
import { firstProcessOf } from './node/start.ts'
import { cachedKubernetes } from './programs/kubernetes.ts'

export {
  controlPlaneAlone,
  type ControlPlaneAlone,
  type ControlPlaneAloneOptions,
  type ControlPlaneProgram,
} from './control-plane/alone.ts'
export { clusterDown } from './down.ts'
export { Failure, describeFailure, type FailureDetails } from './failure.ts'
export { registryReference } from './images/reference.ts'
export { kvmUsable, type KvmProbe } from './kvm.ts'
export { withLock, type Lock } from './lock.ts'
export { checkMachine, thisMachine, type Machine } from './machine.ts'
export { ensurePackages, installPackages } from './packages.ts'
export { cacheDir, defaultCluster, kubeconfigPath, stateDir, stateRoot } from './paths.ts'
export { command, tryCommand, type CommandOptions, type CommandResult } from './process/command.ts'
export { findGo } from './programs/go-build.ts'
export { ensureTools, toolPath, type Tool } from './programs/tools.ts'
export { clusterStatus, type ClusterStatus } from './status.ts'
export { progressLines } from './progress-lines.ts'
export { runSteps, type Progress, type Step } from './steps.ts'
export { together, type Work } from './together.ts'
export { clusterUp, type RunningCluster, type UpOptions } from './up.ts'

/**
 * Makes an image available to a cluster's pods: one that buildah, podman or docker has here, or an archive.
 * @returns the names under which pods can use it
 */
export const loadImage = async (name: string, image: string): Promise<string[]> =>
  loadInto(await requireCluster(name), image)

/** The API server's audit log of a cluster: one JSON object per answered request, without its body. */
export const auditLogPath = async (name: string): Promise<string> => auditLog(await requireCluster(name))

/** The first process of a node (`demo-1`), as the host numbers it: the way into its namespaces; undefined when it is off. */
export const nodeProcess = async (name: string, node: string): Promise<number | undefined> =>
  firstProcessOf(await requireCluster(name), node)

/** Host and port of a cluster's image registry, which speaks plain HTTP. */
export const registryAddress = async (name: string): Promise<string> => registryAddressOf(await requireCluster(name))

/** Program and kubeconfig of a cluster's own kube-scheduler: to start another one beside it. */
export async function kubeSchedulerOf(
  name: string,
): Promise<{ readonly program: string; readonly kubeconfig: string }> {
  const kubeconfig = programKubeconfig(await requireCluster(name), 'scheduler')
  return { program: join((await cachedKubernetes()) ?? '', 'kube-scheduler'), kubeconfig }
}
