import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import type { RequestOptions } from 'node:https'
import { pair } from './certificates.ts'

export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: IncomingHttpHeaders
  readonly json: () => any
}

/** Headers that the API server's proxy sends for a user. */
export const asUser = { 'X-Remote-User': 'alice', 'X-Remote-Group': ['staff', 'system:authenticated'] }

/** Asks virt-api as the API server's proxy does, unless told otherwise. */
export function ask(
  port: number,
  path: string,
  options: RequestOptions & { body?: string | Buffer } = {},
): Promise<Answer> {
  const { body, ...rest } = options
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const outgoing = request(
    {
      host: '127.0.0.1',
      port,
      path,
      rejectUnauthorized: false,
      agent: false,
      headers: asUser,
      ...pair('proxy'),
      ...rest,
    },
    (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({
          status: answer.statusCode ?? 0,
          text,
          headers: answer.headers,
          json: () => JSON.parse(text) as unknown,
        })
      })
    },
  )
  outgoing.once('error', reject)
  outgoing.end(body)
  return promise
}
