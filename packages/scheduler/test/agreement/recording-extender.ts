import type { Pod } from '@kubevirt-ts/api'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** An extender that lets everything pass, writes down which nodes fit, and refuses to bind. */
export interface RecordingExtender extends AsyncDisposable {
  readonly url: string
  /** The names that were left to it, by pod name; and whether the pod came as far as being bound. */
  readonly seen: Map<string, { readonly nodes: readonly string[]; isDecided: boolean }>
}

export async function startRecordingExtender(): Promise<RecordingExtender> {
  const seen: RecordingExtender['seen'] = new Map()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { Pod?: Pod; NodeNames?: string[]; PodName?: string }
      response.setHeader('content-type', 'application/json')
      if (request.url?.endsWith('/bind')) {
        const record = seen.get(body.PodName!)
        if (record !== undefined) record.isDecided = true
        response.end(JSON.stringify({ Error: 'only recording' }))
        return
      }
      const { name } = body.Pod!.metadata
      const nodes = body.NodeNames ?? []
      if (!seen.has(name)) seen.set(name, { nodes, isDecided: false })
      response.end(JSON.stringify({ NodeNames: nodes }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
