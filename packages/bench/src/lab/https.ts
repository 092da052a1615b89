import { Agent, request } from 'node:https'

export type Reply = { readonly status: number; readonly body: string }

// Certificates are the product's own, and the question goes to this machine only.
const agent = new Agent({ rejectUnauthorized: false })

/** Asks a server of this machine; status 0 where it does not answer. */
export function ask(port: number, path: string): Promise<Reply> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path, agent, timeout: 2000 }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => (body += text))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve({ status: 0, body: '' }))
    asked.end()
  })
}
