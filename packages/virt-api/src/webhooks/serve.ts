import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Logger } from '@kubevirt-ts/service'
import { asStatusError } from '../error-reply.ts'
import { StatusError } from '../status-error.ts'
import type { AdmissionContext, Admitter } from './admitter.ts'
import { reviewRequest, reviewResponse } from './review.ts'
import { admitters } from './routes.ts'

/** Old and new object of an update, each as large as the API server takes them. */
const bodyLimit = 16 * 1024 * 1024

/**
 * Answers admission reviews, and leaves all else to `others`. They come past the framework, which took a third of their
 * CPU time. The API server alone is to ask, and nobody else gets anything from asking.
 */
export function serveReviews(others: RequestListener, context: () => AdmissionContext, log: Logger): RequestListener {
  return (request, response) => {
    const admit = request.method === 'POST' ? admitterOf(request.url ?? '') : undefined
    if (!admit) return others(request, response)
    void answer(request, admit, context)
      .catch((error: unknown) => refused(asStatusError(error, log)))
      .then(({ code, body }) => send(response, code, JSON.stringify(body)))
  }
}

const admitterOf = (url: string): Admitter | undefined => {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  return Object.hasOwn(admitters, path) ? admitters[path] : undefined
}

type Answer = { readonly code: number; readonly body: object }

async function answer(request: IncomingMessage, admit: Admitter, context: () => AdmissionContext): Promise<Answer> {
  const review = reviewRequest(await bodyOf(request))
  return { code: 200, body: reviewResponse(review, await admit(review, context())) }
}

const refused = (error: StatusError): Answer => ({ code: error.code, body: error.toStatus() })

/** The whole body; throws a 413 for one that is too large, of which the rest is not read. */
function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= bodyLimit) return void chunks.push(chunk)
    request.pause()
    reject(new StatusError(413, `the body has more than ${bodyLimit} bytes`))
  })
  request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
  request.once('error', reject)
  return promise
}

function send(response: ServerResponse, code: number, text: string): void {
  if (code === 413) response.setHeader('Connection', 'close')
  response.writeHead(code, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}
