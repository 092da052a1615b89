import type { FastifyInstance } from 'fastify'
import { apiGroup, apiGroupList, group, resourceList, rootPaths, versions } from './documents.ts'

/** Where clients find out what there is. */
export function discoveryRoutes(app: FastifyInstance): void {
  app.get('/', () => rootPaths)
  app.get('/apis', () => apiGroupList)
  app.get(`/apis/${group}`, () => apiGroup)
  app.get(`/apis/${group}/`, () => apiGroup)
  for (const version of versions) app.get(`/apis/${group}/${version}`, () => resourceList(version))
}
