import type { IncomingMessage, RequestListener } from 'node:http'
import type { Server } from 'node:https'
import fastify from 'fastify'
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyServerFactory,
  FastifyServerOptions,
} from 'fastify'
import type { Logger, Registry } from '@kubevirt-ts/service'
import type { Authorize } from './authz/authorizer.ts'
import { isOpen } from './authz/open-paths.ts'
import { discoveryRoutes } from './discovery/routes.ts'
import { asStatusError } from './error-reply.ts'
import { StatusError } from './status-error.ts'
import { answerUnreadable } from './unreadable.ts'
import { healthRoutes } from './health.ts'
import type { HealthParts } from './health.ts'
import { answerOtherMethods } from './methods.ts'
import { openapiRoutes } from './openapi/routes.ts'
import { addProfilers } from './profiler/routes.ts'
import type { ProfilerParts } from './profiler/routes.ts'
import type { RestParts } from './rest/parts.ts'
import { rawBody } from './rest/raw-body.ts'
import { restRoutes } from './rest/routes.ts'
import type { AdmissionContext } from './webhooks/admitter.ts'
import { comeFirst } from './webhooks/connections.ts'
import type { EndReviews } from './webhooks/connections.ts'
import { reviewing, serveReviews } from './webhooks/serve.ts'

export interface ServerParts extends RestParts, HealthParts, ProfilerParts {
  readonly authorize: Authorize
  readonly metrics: Registry
  readonly log: Logger
  /** Absent: no webhooks. */
  readonly admission?: () => AdmissionContext
  /** How the listening server is made. */
  readonly serverFactory: (listener: RequestListener) => Server
}

/** No route has a schema of fastify's kind, so its compilers, which cost megabytes, are never loaded. */
const noCompilers = {
  compilersFactory: { buildValidator: () => () => () => true, buildSerializer: () => () => JSON.stringify },
} as unknown as NonNullable<FastifyServerOptions['schemaController']>

/** The server, its plugins in the order in which a request meets them. */
export function createServer(parts: ServerParts): FastifyInstance {
  const { admission, log, serverFactory } = parts
  let endReviews: EndReviews | undefined
  const server = (others: RequestListener): Server => {
    if (!admission) return serverFactory(others)
    const answer = reviewing(admission, log)
    const made = serverFactory(serveReviews(others, answer))
    endReviews = comeFirst(made, answer)
    return made
  }
  const app = fastify({
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (error, _request, reply) => refuse(ofAddress(error), reply, log),
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 512 },
    forceCloseConnections: 'idle',
    schemaController: noCompilers,
    serverFactory: ((listener) => server(listener as RequestListener)) as FastifyServerFactory,
  })
  app.addHook('preClose', async () => endReviews?.())
  answerErrors(app, log)
  keepBodies(app)
  guardAnswers(app)
  answerOtherMethods(app)
  authorizeRequests(app, parts.authorize)
  healthRoutes(app, parts)
  addProfilers(app, parts)
  discoveryRoutes(app)
  openapiRoutes(app)
  restRoutes(app, parts)
  return app
}

/** Fastify repeats an address that it does not take, however long it is. */
const ofAddress = ({ statusCode = 400 }: FastifyError): StatusError =>
  new StatusError(
    statusCode,
    statusCode === 414 ? 'the name in the address is too long' : 'the address can not be read',
  )

/** Whatever goes wrong is told as a Status. */
function answerErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((error, _request, reply) => refuse(error, reply, log))
}

function refuse(error: unknown, reply: FastifyReply, log: Logger): void {
  const refusal = asStatusError(error, log)
  void reply.code(refusal.code).send(refusal.toStatus())
}

/** What browsers are to keep in mind of any answer. */
function guardAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply) => {
    reply.header('X-Content-Type-Options', 'nosniff').header('Cache-Control', 'no-cache, private')
  })
}

/** Clients send options without a content type, or with any: bodies stay bytes until their reader decodes them. */
function keepBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request: FastifyRequest, body: IncomingMessage) => rawBody(body))
  // Also one that is none, which would be refused.
  app.addHook('onRequest', async ({ headers }) => void delete headers['content-type'])
}

/** All but the open paths need a user who may; admission reviews do not come here. */
function authorizeRequests(app: FastifyInstance, authorize: Authorize): void {
  app.addHook('onRequest', async (request, reply) => {
    const path = request.url.split('?')[0]!
    if (isOpen(path)) return undefined
    const verdict = await authorize(request.raw)
    if (verdict) return reply.code(verdict.status).type('text/plain').send(verdict.reason)
    return undefined
  })
}
