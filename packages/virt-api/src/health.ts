import type { FastifyInstance, FastifyReply } from 'fastify'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Registry } from '@kubevirt-ts/service'
import { group, versions } from './discovery/documents.ts'
import { versionInfo } from './version.ts'

export interface HealthParts {
  readonly client: KubeClient
  readonly metrics: Registry
  /** Of the KubeVirt resource in use. */
  readonly configVersion: () => string
  /** Where the images come from, as the KubeVirt resource says. */
  readonly registry: () => { readonly registry: string; readonly tag: string }
}

/** Health, version and metrics: open to all. */
export function healthRoutes(app: FastifyInstance, parts: HealthParts): void {
  const health = async (_: unknown, reply: FastifyReply) => {
    const { status, body } = await healthOf(parts)
    return reply.code(status).send(body)
  }
  app.get('/healthz', health)
  for (const version of versions) {
    const base = `/apis/${group}/${version}`
    app.get(`${base}/healthz`, health)
    app.get(`${base}/version`, () => versionInfo)
    app.get(`${base}/guestfs`, () => ({ ...parts.registry(), digest: '', imagePrefix: '', gsImage: '' }))
  }
  app.get('/metrics', async (_, reply) => reply.type(parts.metrics.contentType).send(await parts.metrics.metrics()))
}

/** Healthy is: the API server answers. */
async function healthOf({ client, configVersion }: HealthParts) {
  const known = { 'config-resource-version': configVersion() }
  try {
    const { status, body } = await client.request({
      method: 'GET',
      path: '/version',
      signal: AbortSignal.timeout(5000),
    })
    if (status !== 200) throw new Error(`the API server answered ${status}`)
    const version: unknown = JSON.parse(body.toString())
    return { status: 200, body: { apiserver: { connectivity: 'ok', version }, ...known } }
  } catch (error) {
    return { status: 500, body: { apiserver: { connectivity: 'failed', error: (error as Error).message }, ...known } }
  }
}
