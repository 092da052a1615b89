import { join } from 'node:path'
import type { Cluster } from '../cluster.ts'
import { certificateFiles } from '../pki.ts'
import { programKubeconfig } from './certificates.ts'

/** The audit log: one JSON object per request that the API server has answered. */
export const auditLog = ({ state }: Pick<Cluster, 'state'>): string => join(state, 'logs', 'audit.log')
export const auditPolicyFile = ({ state }: Pick<Cluster, 'state'>): string => join(state, 'audit-policy.yaml')

export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  omitManagedFields: true,
  rules: [{ level: 'Metadata' }],
}

type Flags = Readonly<Record<string, string | number | boolean>>

const render = (flags: Flags): string[] => Object.entries(flags).map(([name, value]) => `--${name}=${value}`)

/** etcd keeps nothing that must survive a power cut, so it does not wait for the disk. */
export function etcdFlags({ state, pki, addresses: { ports } }: Cluster): string[] {
  const files = certificateFiles(pki, 'etcd')
  const clients = `https://127.0.0.1:${ports.etcd}`
  const peers = `http://127.0.0.1:${ports.etcdPeer}`
  return render({
    name: 'default',
    'data-dir': join(state, 'etcd'),
    'listen-client-urls': clients,
    'advertise-client-urls': clients,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `default=${peers}`,
    'cert-file': files.certificate,
    'key-file': files.key,
    'client-cert-auth': true,
    'trusted-ca-file': join(pki, 'etcd-ca.crt'),
    'unsafe-no-fsync': true,
    'log-level': 'warn',
  })
}

export function apiServerFlags(cluster: Cluster): string[] {
  const { pki, addresses } = cluster
  const file = (name: string) => certificateFiles(pki, name)
  return render({
    'bind-address': addresses.host,
    'advertise-address': addresses.host,
    'secure-port': addresses.ports.apiServer,
    'service-cluster-ip-range': addresses.services,
    'etcd-servers': `https://127.0.0.1:${addresses.ports.etcd}`,
    'etcd-cafile': file('etcd-ca').certificate,
    'etcd-certfile': file('api-server-etcd').certificate,
    'etcd-keyfile': file('api-server-etcd').key,
    'tls-cert-file': file('api-server').certificate,
    'tls-private-key-file': file('api-server').key,
    'client-ca-file': file('ca').certificate,
    'kubelet-certificate-authority': file('ca').certificate,
    'kubelet-client-certificate': file('api-server-kubelet').certificate,
    'kubelet-client-key': file('api-server-kubelet').key,
    'kubelet-preferred-address-types': 'InternalIP',
    'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
    'service-account-key-file': join(pki, 'service-account.pub'),
    'service-account-signing-key-file': join(pki, 'service-account.key'),
    'authorization-mode': 'Node,RBAC',
    'enable-admission-plugins': 'NodeRestriction',
    'allow-privileged': true,
    'requestheader-client-ca-file': file('front-proxy-ca').certificate,
    'requestheader-allowed-names': 'front-proxy-client',
    'requestheader-username-headers': 'X-Remote-User',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'proxy-client-cert-file': file('front-proxy').certificate,
    'proxy-client-key-file': file('front-proxy').key,
    // Calls to webhooks and aggregated APIs go to the pods themselves: the host has no kube-proxy.
    'enable-aggregator-routing': true,
    'audit-policy-file': auditPolicyFile(cluster),
    'audit-log-path': auditLog(cluster),
    'audit-log-maxsize': 500,
    'audit-log-maxbackup': 1,
    profiling: false,
  })
}

export function controllerManagerFlags(cluster: Cluster): string[] {
  const { pki, state, addresses } = cluster
  const ca = certificateFiles(pki, 'ca')
  return render({
    ...localClient(programKubeconfig(cluster, 'controller-manager'), addresses.ports.controllerManager),
    'use-service-account-credentials': true,
    'service-account-private-key-file': join(pki, 'service-account.key'),
    'root-ca-file': ca.certificate,
    'cluster-signing-cert-file': ca.certificate,
    'cluster-signing-key-file': ca.key,
    // The default lies in /usr/libexec, and would be created there.
    'flex-volume-plugin-dir': join(state, 'volume-plugins'),
  })
}

export function schedulerFlags(cluster: Cluster): string[] {
  return render(localClient(programKubeconfig(cluster, 'scheduler'), cluster.addresses.ports.scheduler))
}

const localClient = (kubeconfig: string, port: number): Flags => ({
  kubeconfig,
  'authentication-kubeconfig': kubeconfig,
  'authorization-kubeconfig': kubeconfig,
  'bind-address': '127.0.0.1',
  'secure-port': port,
  // There is only one of each.
  'leader-elect': false,
  profiling: false,
})
