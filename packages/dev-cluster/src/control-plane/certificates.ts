import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Cluster } from '../cluster.ts'
import { kubeconfigPath } from '../paths.ts'
import { ensureAuthority, ensureCertificate, ensureKeyPair, renderKubeconfig } from '../pki.ts'
import type { Subject } from '../pki.ts'

/** Users of the API server that need a kubeconfig on the host. */
const clients: Readonly<Record<string, Subject>> = {
  admin: { commonName: 'kubevirt-ts-admin', organization: 'system:masters' },
  'controller-manager': { commonName: 'system:kube-controller-manager' },
  scheduler: { commonName: 'system:kube-scheduler' },
  'kube-proxy': { commonName: 'system:kube-proxy' },
}

/** The kubeconfig of one of the cluster's own programs. */
export const programKubeconfig = ({ state }: Pick<Cluster, 'state'>, name: string): string =>
  join(state, 'kubeconfigs', name)

/** Makes whatever is missing of authorities, certificates and the control plane's kubeconfigs. */
export async function ensureCertificates(cluster: Cluster): Promise<void> {
  const { pki, addresses } = cluster
  for (const authority of ['ca', 'etcd-ca', 'front-proxy-ca']) await ensureAuthority(pki, authority)
  await ensureKeyPair(pki, 'service-account')
  await ensureCertificate(pki, 'etcd', 'etcd-ca', { commonName: 'etcd', hosts: ['127.0.0.1', 'localhost'] })
  await ensureCertificate(pki, 'api-server', 'ca', {
    commonName: 'kube-apiserver',
    hosts: [
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
      'localhost',
      '127.0.0.1',
      addresses.apiService,
      addresses.host,
    ],
  })
  await ensureCertificate(pki, 'api-server-kubelet', 'ca', {
    commonName: 'kube-apiserver-kubelet-client',
    organization: 'system:masters',
  })
  await ensureCertificate(pki, 'api-server-etcd', 'etcd-ca', { commonName: 'kube-apiserver-etcd-client' })
  await ensureCertificate(pki, 'front-proxy', 'front-proxy-ca', { commonName: 'front-proxy-client' })
  for (const [name, subject] of Object.entries(clients)) {
    await ensureCertificate(pki, name, 'ca', subject)
    await ensureKubeconfig(cluster, name, programKubeconfig(cluster, name))
  }
  await ensureKubeconfig(cluster, 'admin', kubeconfigPath(cluster.name))
}

/** Writes the kubeconfig of a user whose certificate is there. */
export async function ensureKubeconfig({ pki, server, name }: Cluster, user: string, path: string): Promise<void> {
  if (existsSync(path)) return
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, renderKubeconfig(pki, user, server, `kubevirt-ts-${name}`), { mode: 0o600 })
}
