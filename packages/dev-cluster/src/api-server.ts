import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'
import { certificateFiles } from './pki.ts'

/** An answer of the API server. */
export type Answer = { readonly status: number; readonly body: string }

/** Asks the API server as administrator; undefined when it does not answer. */
export async function ask({ pki, server }: Pick<Cluster, 'pki' | 'server'>, path: string): Promise<Answer | undefined> {
  const files = certificateFiles(pki, 'admin')
  try {
    return await get(server + path, {
      ca: readFileSync(join(pki, 'ca.crt')),
      cert: readFileSync(files.certificate),
      key: readFileSync(files.key),
    })
  } catch {
    return undefined
  }
}

/** Whether the API server says that it is ready. */
export const apiServerReady = async (cluster: Pick<Cluster, 'pki' | 'server'>): Promise<boolean> =>
  (await ask(cluster, '/readyz'))?.status === 200

/** An object, or a list, as the API server has it now; undefined when there is none. */
export async function read<T>(cluster: Pick<Cluster, 'pki' | 'server'>, path: string): Promise<T | undefined> {
  const answer = await ask(cluster, path)
  return answer?.status === 200 ? (JSON.parse(answer.body) as T) : undefined
}

function get(url: string, tls: { ca: Buffer; cert: Buffer; key: Buffer }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { ...tls, agent: false, timeout: 5000 }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => (body += text))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      response.on('error', reject)
    })
    asked.on('timeout', () => asked.destroy(new Error('no answer in time')))
    asked.on('error', reject)
    asked.end()
  })
}
