import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Logger } from '@kubevirt-ts/service'
import { asStatusError } from '../error-reply.ts'
import { StatusError } from '../status-error.ts'
import type { AdmissionContext, Admitter } from './admitter.ts'
import { reviewRequest, reviewResponse } from './review.ts'
import { admitters } from './routes.ts'

/** Old and new object of an update, each as large as the API server takes them. */
export const bodyLimit = 16 * 1024 * 1024

/** What is said to a review: an HTTP status and JSON. */
export type Answer = { readonly code: number; readonly text: string }

/** The answer to the body of a review that came to an admitter's path. */
export type AnswerReview = (admit: Admitter, body: Buffer) => Promise<Answer>

export const reviewing = (context: () => AdmissionContext, log: Logger): AnswerReview => {
  return async (admit, body) => {
    try {
      const review = reviewRequest(body)
      return { code: 200, text: JSON.stringify(reviewResponse(review, await admit(review, context()))) }
    } catch (error) {
      return refused(asStatusError(error, log))
    }
  }
}

const refused = (error: StatusError): Answer => ({ code: error.code, text: JSON.stringify(error.toStatus()) })

/** The admitter that is asked at an address; its query is the API server's own word on its patience. */
export const admitterOf = (url: string): Admitter | undefined => {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  return Object.hasOwn(admitters, path) ? admitters[path] : undefined
}

/**
 * Answers admission reviews, and leaves all else to `others`. They come past the framework, which took a third of their
 * CPU time. The API server alone is to ask, and nobody else gets anything from asking.
 */
export function serveReviews(others: RequestListener, answer: AnswerReview): RequestListener {
  return (request, response) => {
    const admit = request.method === 'POST' ? admitterOf(request.url ?? '') : undefined
    if (!admit) return others(request, response)
    void bodyOf(request)
      .then((body) => answer(admit, body), refused)
      .then((answered) => send(response, answered))
  }
}

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

function send(response: ServerResponse, { code, text }: Answer): void {
  if (code === 413) response.setHeader('Connection', 'close')
  response.writeHead(code, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}
