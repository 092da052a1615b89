import { writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { apiServerReady } from '../api-server.ts'
import type { Cluster } from '../cluster.ts'
import { hostDaemonStep } from '../host-daemon.ts'
import type { Step } from '../steps.ts'
import {
  apiServerFlags,
  auditPolicy,
  auditPolicyFile,
  controllerManagerFlags,
  etcdFlags,
  schedulerFlags,
} from './flags.ts'

/** Names of the control plane's processes, in the order of their start. */
export const controlPlane = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const

/** Starts the control plane from the programs in a folder, known once the programs are there. */
export function controlPlaneSteps(cluster: Cluster, programs: () => string): Step[] {
  const { host, ports } = cluster.addresses
  const local = (port: number) => ({ host: '127.0.0.1', port })
  return [
    hostDaemonStep(cluster, {
      name: 'etcd',
      endpoints: [local(ports.etcd), local(ports.etcdPeer)],
      argv: () => [join(programs(), 'etcd'), ...etcdFlags(cluster)],
      ready: () => accepts('127.0.0.1', ports.etcd),
    }),
    hostDaemonStep(cluster, {
      name: 'kube-apiserver',
      endpoints: [{ host, port: ports.apiServer }],
      prepare: () => writeFile(auditPolicyFile(cluster), JSON.stringify(auditPolicy)),
      argv: () => [join(programs(), 'kube-apiserver'), ...apiServerFlags(cluster)],
      ready: () => apiServerReady(cluster),
      timeout: 120_000,
    }),
    hostDaemonStep(cluster, {
      name: 'kube-controller-manager',
      endpoints: [local(ports.controllerManager)],
      argv: () => [join(programs(), 'kube-controller-manager'), ...controllerManagerFlags(cluster)],
      ready: () => healthy(ports.controllerManager),
    }),
    hostDaemonStep(cluster, {
      name: 'kube-scheduler',
      endpoints: [local(ports.scheduler)],
      argv: () => [join(programs(), 'kube-scheduler'), ...schedulerFlags(cluster)],
      ready: () => healthy(ports.scheduler),
    }),
  ]
}

/** Whether somebody listens at an address. */
export function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1000 })
    const answer = (accepted: boolean) => {
      socket.destroy()
      resolve(accepted)
    }
    socket
      .on('connect', () => answer(true))
      .on('error', () => answer(false))
      .on('timeout', () => answer(false))
  })
}

/** Whether a program of this machine says that it is healthy. Its certificate is one that it made for itself. */
export function healthy(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get(
      { host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false, agent: false, timeout: 2000 },
      (response) => {
        response.resume()
        resolve(response.statusCode === 200)
      },
    )
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(false))
  })
}
