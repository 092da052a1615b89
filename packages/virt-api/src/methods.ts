import type { FastifyInstance } from 'fastify'
import { StatusError } from './status-error.ts'

/** Methods by the paths that they are served for. */
type Served = Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>

/**
 * What has no route: OPTIONS tells the methods of a path to anybody, another method of a path that there is gets a 405,
 * all else a 404. To be called before the routes are added.
 */
export function answerOtherMethods(app: FastifyInstance): void {
  const served: Served = new Map()
  app.addHook('onRoute', ({ url, method }) => {
    const known = served.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const each of [method].flat()) known.methods.add(each)
    served.set(url, known)
  })
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'OPTIONS') return undefined
    const methods = methodsOf(served, request.url)
    return methods.length > 0 ? reply.header('Allow', methods.join(', ')).send() : undefined
  })
  app.setNotFoundHandler(async (request, reply) => {
    const methods = methodsOf(served, request.url)
    const refusal = methods.length > 0 ? otherMethod(request.method, methods) : unknown(request.method, request.url)
    if (methods.length > 0) reply.header('Allow', methods.join(', '))
    return reply.code(refusal.code).send(refusal.toStatus())
  })
}

/** A route's path as fastify writes it, in which `:name` stands for one part. */
const patternOf = (url: string) =>
  new RegExp(`^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/:\w+/g, '[^/]+')}$`)

function methodsOf(served: Served, url: string): readonly string[] {
  const path = url.split('?')[0]!
  return [...served.values()].flatMap(({ pattern, methods }) => (pattern.test(path) ? [...methods] : [])).toSorted()
}

const otherMethod = (method: string, methods: readonly string[]) =>
  new StatusError(
    405,
    `the server does not allow this method on the requested resource: ${method}; use ${methods.join(' or ')}`,
  )

const unknown = (method: string, url: string) =>
  new StatusError(404, `the server could not find the requested resource: ${method} ${url.split('?')[0]}`)
