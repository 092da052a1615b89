import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addressesOf } from '../addresses.ts'
import type { Addresses } from '../addresses.ts'
import { apiServerReady } from '../api-server.ts'
import { checkName } from '../cluster.ts'
import type { Cluster } from '../cluster.ts'
import { kubeconfigPath, stateDir } from '../paths.ts'
import { cachedKubernetes, ensureKubernetes } from '../programs/kubernetes.ts'
import { ensureCertificates } from './certificates.ts'
import {
  apiServerFlags,
  auditLog,
  auditPolicy,
  auditPolicyFile,
  controllerManagerFlags,
  etcdFlags,
  schedulerFlags,
} from './flags.ts'
import { accepts, healthy } from './start.ts'

/** A program of a control plane, to be run by the caller. */
export type ControlPlaneProgram = {
  readonly name: string
  readonly argv: readonly string[]
  /** Resolves to true once it does its work. */
  ready(): Promise<boolean>
}

/** A control plane without nodes: what to run, in this order, and where it leaves what. */
export type ControlPlaneAlone = {
  readonly programs: readonly ControlPlaneProgram[]
  readonly kubeconfig: string
  readonly auditLog: string
  /** Folder of everything it writes; the caller removes it. */
  readonly state: string
}

export type ControlPlaneAloneOptions = {
  readonly name: string
  readonly ports: Omit<Addresses['ports'], 'registry'>
}

// Written into the Endpoints of the `kubernetes` Service, which no loopback address may be. Nobody goes there.
const advertised = '198.19.255.1'

const unlimited = ['--kube-api-qps=2000', '--kube-api-burst=4000']

/**
 * Prepares a control plane that listens on loopback alone: for measurements with nodes that only exist in the API.
 * Services of type ExternalName are followed as host names, so that webhooks and aggregated APIs can be processes of
 * this machine. Its controllers and its scheduler have no request limit of their own.
 * @throws Failure
 */
export async function controlPlaneAlone({ name, ports }: ControlPlaneAloneOptions): Promise<ControlPlaneAlone> {
  checkName(name)
  const state = stateDir(name)
  await mkdir(join(state, 'logs'), { recursive: true })
  await ensureKubernetes(join(state, 'logs', 'prepare.log'))
  const folder = (await cachedKubernetes()) ?? ''
  const cluster = loopbackCluster(name, state, ports)
  await ensureCertificates(cluster)
  await writeFile(auditPolicyFile(cluster), JSON.stringify(auditPolicy))
  return {
    state,
    kubeconfig: kubeconfigPath(name),
    auditLog: auditLog(cluster),
    programs: programsOf(cluster, (program) => join(folder, program)),
  }
}

function loopbackCluster(name: string, state: string, ports: ControlPlaneAloneOptions['ports']): Cluster {
  const addresses = { ...addressesOf(0), host: '127.0.0.1', ports: { ...ports, registry: 0 } }
  const server = `https://127.0.0.1:${ports.apiServer}`
  return { name, slot: 0, nodes: 0, state, addresses, pki: join(state, 'pki'), cgroup: '', server }
}

function programsOf(cluster: Cluster, file: (program: string) => string): ControlPlaneProgram[] {
  const { ports } = cluster.addresses
  return [
    { name: 'etcd', argv: [file('etcd'), ...etcdFlags(cluster)], ready: () => accepts('127.0.0.1', ports.etcd) },
    {
      name: 'kube-apiserver',
      // The last of repeated flags counts.
      argv: [
        file('kube-apiserver'),
        ...apiServerFlags(cluster),
        `--advertise-address=${advertised}`,
        '--enable-aggregator-routing=false',
      ],
      ready: () => apiServerReady(cluster),
    },
    {
      name: 'kube-controller-manager',
      argv: [
        file('kube-controller-manager'),
        ...controllerManagerFlags(cluster),
        ...unlimited,
        // Nobody renews the leases of nodes that do not exist.
        '--node-monitor-grace-period=24h',
      ],
      ready: () => healthy(ports.controllerManager),
    },
    {
      name: 'kube-scheduler',
      argv: [file('kube-scheduler'), ...schedulerFlags(cluster), ...unlimited],
      ready: () => healthy(ports.scheduler),
    },
  ]
}
