import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Place } from './product.ts'

type Kubeconfig = { readonly clusters: readonly { readonly name: string; readonly cluster: object }[] }

/** Writes a kubeconfig of a service account, so that its own roles decide what it may do, and answers its path. */
export async function serviceAccountKubeconfig(
  { state, client, kubeconfig }: Place,
  namespace: string,
  account: string,
): Promise<string> {
  const { clusters } = JSON.parse(await readFile(kubeconfig, 'utf8')) as Kubeconfig
  const cluster = clusters[0]?.name
  const path = join(state, 'kubeconfigs', account)
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters,
    users: [{ name: account, user: { token: await tokenOf(client, namespace, account) } }],
    contexts: [{ name: account, context: { cluster, user: account } }],
    'current-context': account,
  }
  await mkdir(join(state, 'kubeconfigs'), { recursive: true })
  await writeFile(path, JSON.stringify(config), { mode: 0o600 })
  return path
}

async function tokenOf(client: Place['client'], namespace: string, account: string): Promise<string> {
  const { status, body } = await client.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } },
  })
  const answer = JSON.parse(body.toString()) as { message?: string; status: { token: string } }
  if (status !== 201) throw new Error(`no token for service account ${namespace}/${account}: ${answer.message}`)
  return answer.status.token
}
