import type { Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { subjectAccessReviews } from '@kubevirt-ts/api'
import type { KubeObject, SubjectAccessReview } from '@kubevirt-ts/api'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { createLogger, createRegistry, staticCertificate } from '@kubevirt-ts/service'
import { isGateEnabled, mergeConfiguration } from '@kubevirt-ts/virt-config'
import type { FeatureGateName } from '@kubevirt-ts/virt-config'
import { createAuthorizer } from '../src/authz/authorizer.ts'
import { createComponents } from '../src/profiler/components.ts'
import { serveStreams } from '../src/rest/upgrade.ts'
import { createVirtHandler } from '../src/rest/virt-handler.ts'
import { createServer } from '../src/server.ts'
import { createTlsServer } from '../src/tls.ts'
import { kubevirtCa, pair, proxyCa } from './certificates.ts'

export interface UnderTest {
  readonly objects?: readonly KubeObject[]
  /** Whether the API server lets the user do it; a throw is a review that failed. */
  readonly allows?: (review: SubjectAccessReview) => boolean
  readonly handlerPort?: number
  /** Names that the API server's proxy may have. */
  readonly allowedNames?: readonly string[]
  /** Feature gates that are switched on. */
  readonly gates?: string[]
  /** Whether the KubeVirt resource lets the cluster be profiled. */
  readonly clusterProfiler?: boolean
  /** Lines of the log. */
  readonly logged?: string[]
}

/** virt-api over real TLS in front of an API server in memory. */
export async function appUnderTest({
  objects = [],
  allows = () => true,
  handlerPort = 0,
  allowedNames = ['front-proxy-client'],
  gates = [],
  clusterProfiler = false,
  logged = [],
}: UnderTest) {
  const client = fakeClient(objects, {
    onRequest: () => ({ status: 200, headers: {}, body: Buffer.from('{"gitVersion":"v1.34.0"}') }),
  })
  const reviews: SubjectAccessReview[] = []
  const create = client.create.bind(client)
  client.create = (async (resource, object, options) => {
    if (resource.plural !== subjectAccessReviews.plural) return create(resource, object, options)
    const review = object as SubjectAccessReview
    reviews.push(review)
    return { ...review, status: { allowed: allows(review) } }
  }) as typeof client.create
  const log = createLogger({ component: 'virt-api', destination: { write: (line) => void logged.push(line) } })
  const requestHeader = () => ({
    clientCa: proxyCa,
    allowedNames,
    userHeaders: ['x-remote-user'],
    groupHeaders: ['x-remote-group'],
    extraPrefixes: ['x-remote-extra-'],
  })
  const authorize = createAuthorizer({ client, requestHeader, log })
  const virtHandler = createVirtHandler({
    client,
    namespace: 'kubevirt',
    port: handlerPort,
    certificate: staticCertificate({ ...pair('handler-client'), ca: kubevirtCa }),
  })
  const configuration = mergeConfiguration({ developerConfiguration: { featureGates: gates, clusterProfiler } })
  const settings = { configuration, isEnabled: (gate: FeatureGateName) => isGateEnabled(configuration, gate) }
  const chance = { now: () => '2026-01-01T00:00:00Z', newId: () => 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee' }
  const tls = { certificate: staticCertificate(pair('virt-api')), clientCa: () => proxyCa, settings: () => undefined }
  let server: Server | undefined
  const app = createServer({
    client,
    virtHandler,
    log,
    settings,
    authorize,
    metrics: createRegistry('virt-api'),
    configVersion: () => '7',
    registry: () => ({ registry: 'localhost/kubevirt-ts', tag: '0.1.0' }),
    askComponents: createComponents({
      client,
      namespace: 'kubevirt',
      certificate: staticCertificate({ ...pair('handler-client'), ca: kubevirtCa }),
      port: handlerPort,
    }),
    admission: () => ({ settings, client, chance, namespace: 'kubevirt' }),
    serverFactory: (listener) => (server = createTlsServer(listener, tls)),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const endStreams = serveStreams(server!, { client, virtHandler, log, settings, authorize, active: {} })
  const { port } = server!.address() as AddressInfo
  return {
    client,
    reviews,
    port,
    /** Takes no more connections; resolves when none is left. */
    stop: () => app.close(),
    close: async () => {
      endStreams()
      server!.closeAllConnections()
      await app.close()
    },
  }
}
