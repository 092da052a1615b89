import { request } from 'node:https'
import { loadConfig } from '@kubevirt-ts/kubecli'
import { tools } from './tools.ts'

/** Asks the API server as the cluster's administrator, with headers that no program of a user would send. */
export async function clusterRequest(
  method: string,
  path: string,
  body: object | string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly text: string }> {
  const { server, tls } = await loadConfig({ kubeconfig: tools().kubeconfig })
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, server), { method, headers, ...tls }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    outgoing.once('error', reject)
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}
