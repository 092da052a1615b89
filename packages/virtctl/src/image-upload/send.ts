import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { request as requestHttp } from 'node:http'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandError } from '../command.ts'

export interface Upload {
  readonly proxy: string
  readonly token: string
  readonly file: string
  /** Whether the proxy's certificate may be anybody's. */
  readonly insecure: boolean
  /** Called with what has gone out, in bytes. */
  readonly onProgress: (sent: number, total: number) => void
  readonly signal: AbortSignal
}

/** A proxy that can answers at once and converts afterwards; an older one keeps the connection until all is done. */
const paths = { async: '/v1beta1/upload-async', classic: '/v1beta1/upload' }

/** Sends a file to CDI's upload proxy. Throws with the proxy's words when it does not take it. */
export async function send(upload: Upload): Promise<void> {
  const head = await answerTo(upload, 'HEAD', paths.async)
  const path = head.status === 200 ? paths.async : paths.classic
  const { status, text } = await post(upload, path)
  if (status < 300) return
  throw new CommandError(`the upload proxy ${upload.proxy} answered ${status}: ${text || 'nothing more'}`)
}

/** What OpenSSL and Node say of a certificate that they do not take. */
const distrust = /SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ALTNAME|CERT_(HAS_EXPIRED|NOT_YET_VALID|UNTRUSTED)/

/** A proxy's certificate that is not trusted now is not trusted when it is asked again; undefined for other errors. */
function untrusted(error: NodeJS.ErrnoException, proxy: string): UntrustedProxy | undefined {
  if (!distrust.test(error.code ?? '')) return undefined
  const why = error.message.split(';')[0]
  return new UntrustedProxy(
    `the certificate of the upload proxy ${proxy} is not trusted: ${why}; name its authority in NODE_EXTRA_CA_CERTS, or use --insecure`,
  )
}

export class UntrustedProxy extends CommandError {}

interface Options extends RequestOptions {
  readonly headers: Readonly<Record<string, string>>
}

function optionsOf({ proxy, token, insecure, signal }: Upload, method: string, path: string): [URL, Options] {
  const url = new URL(path, proxy)
  return [
    url,
    { method, signal, headers: { Authorization: `Bearer ${token}` }, ...(insecure && { rejectUnauthorized: false }) },
  ]
}

const requestOf = ({ protocol }: URL) => (protocol === 'http:' ? requestHttp : requestHttps)

function answerTo(upload: Upload, method: string, path: string): Promise<{ status: number; text: string }> {
  const [url, options] = optionsOf(upload, method, path)
  return new Promise((resolve, reject) => {
    requestOf(url)(url, options, (answer) => void read(answer).then(resolve, reject))
      .once('error', (error) => reject(untrusted(error, upload.proxy) ?? error))
      .end()
  })
}

async function post(upload: Upload, path: string): Promise<{ status: number; text: string }> {
  const [url, options] = optionsOf(upload, 'POST', path)
  const { size } = await stat(upload.file)
  const headers = { ...options.headers, 'Content-Type': 'application/octet-stream', 'Content-Length': size }
  const outgoing = requestOf(url)(url, { ...options, headers })
  const answered = new Promise<{ status: number; text: string }>((resolve, reject) => {
    outgoing.once('response', (answer) => void read(answer).then(resolve, reject)).once('error', reject)
  })
  let sent = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      upload.onProgress((sent += chunk.length), size)
      done(null, chunk)
    },
  })
  // A proxy that refuses before it has read all closes the connection: its answer says more than that.
  pipeline(createReadStream(upload.file), counted, outgoing).catch(() => undefined)
  return answered
}

async function read(answer: IncomingMessage): Promise<{ status: number; text: string }> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk as string
  return { status: answer.statusCode ?? 0, text: text.trim() }
}
