import { copyFile, rm } from 'node:fs/promises'
import type { Node } from '@kubevirt-ts/api'
import { apply, kubectl, list } from './kubectl.ts'
import { multusProgram } from './multus-program.ts'
import { onNode } from './node.ts'

const plugin = '/usr/lib/cni/multus'
const etc = '/var/lib/.node/etc'
const config = { cniVersion: '0.4.0', name: 'multus', type: 'multus' }
const account = { name: 'multus', namespace: 'kube-system' }

const objects = [
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'network-attachment-definitions.k8s.cni.cncf.io' },
    spec: {
      group: 'k8s.cni.cncf.io',
      scope: 'Namespaced',
      names: {
        plural: 'network-attachment-definitions',
        singular: 'network-attachment-definition',
        kind: 'NetworkAttachmentDefinition',
        shortNames: ['net-attach-def'],
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { config: { type: 'string' } } } },
            },
          },
        },
      ],
    },
  },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: account.name },
    rules: [
      { apiGroups: ['k8s.cni.cncf.io'], resources: ['*'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods', 'pods/status'], verbs: ['get', 'update', 'patch'] },
      { apiGroups: [''], resources: ['events'], verbs: ['create'] },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: account.name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: account.name },
  },
]

type Kubeconfig = { readonly users: readonly { readonly name: string }[] }

/** Multus itself on every node of a local cluster, in front of the plugin that its nodes have had. */
export async function installMultus(): Promise<AsyncDisposable> {
  await apply({ apiVersion: 'v1', kind: 'List', items: objects })
  // The folder of plugins is the machine's, which its nodes share.
  await copyFile(await multusProgram(), plugin)
  const token = await kubectl('create', 'token', account.name, '-n', account.namespace, '--duration=24h')
  const nodes = (await list<Node>('node', '')).map(({ metadata }) => metadata.name)
  for (const node of nodes) {
    const read = async <T extends object>(file: string): Promise<T> =>
      JSON.parse(await onNode(node, 'cat', `${etc}/${file}`)) as T
    const write = (file: string, content: object): Promise<string> =>
      onNode(node, 'sh', '-c', `printf %s '${JSON.stringify(content)}' >${etc}/${file}`)
    // The way on which this node's kubelet reaches the API server.
    const kubelet = await read<Kubeconfig>('kubelet.kubeconfig')
    const users = kubelet.users.map(({ name }) => ({ name, user: { token: token.trim() } }))
    await write('multus.kubeconfig', { ...kubelet, users })
    const capabilities = { portMappings: true }
    const delegates = [await read('cni/10-pods.conflist')]
    await write('cni/00-multus.conf', { ...config, kubeconfig: `${etc}/multus.kubeconfig`, capabilities, delegates })
  }
  return {
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await onNode(node, 'rm', '-f', `${etc}/cni/00-multus.conf`)
      await rm(plugin)
    },
  }
}
