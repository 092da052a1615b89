import type { FastifyInstance } from 'fastify'
import { group, versions } from '../discovery/documents.ts'
import { openapiV2, openapiV3, openapiV3Index } from './documents.ts'

export function openapiRoutes(app: FastifyInstance): void {
  app.get('/openapi/v2', () => openapiV2)
  app.get('/openapi/v3', () => openapiV3Index)
  for (const version of versions) app.get(`/openapi/v3/apis/${group}/${version}`, () => openapiV3(version))
}
