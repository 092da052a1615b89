import { group, resourceList, versions } from '../discovery/documents.ts'
import { compatibleRelease } from '@kubevirt-ts/api'

const info = { title: 'KubeVirt API', description: 'Subresources of virtual machines.', version: compatibleRelease }

const answers = { 200: { description: 'OK' }, 401: { description: 'Unauthorized' } }

/** Subresources that are read; all others are put. */
const reads =
  /\/(console|vnc|vnc\/screenshot|portforward|guestosinfo|userlist|filesystemlist|expand-spec|objectgraph|sev\/fetchcertchain|sev\/querylaunchmeasurement)$/

const parameter = (name: string, schema: object) => ({ name, in: 'path', required: true, ...schema })

function pathsOf(version: string, schema: object) {
  const namespace = parameter('namespace', schema)
  const parameters = [namespace, parameter('name', schema)]
  const base = `/apis/${group}/${version}/namespaces/{namespace}`
  const named = resourceList(version).resources.filter(({ name }) => name.includes('/'))
  const expand = { put: { operationId: `${version}ExpandVmSpec`, responses: answers } }
  const paths = Object.fromEntries(
    named.map(({ name }) => {
      const [resource, ...rest] = name.split('/')
      const path = `${base}/${resource}/{name}/${rest.join('/')}`
      const operationId = `${version}${name.replaceAll(/[^a-z]+(.)/g, (_, letter: string) => letter.toUpperCase())}`
      return [path, { parameters, [reads.test(name) ? 'get' : 'put']: { operationId, responses: answers } }]
    }),
  )
  return { ...paths, [`${base}/expand-vm-spec`]: { parameters: [namespace], ...expand } }
}

/** Swagger 2.0 of everything, as the API server merges it into its own. */
export const openapiV2 = {
  swagger: '2.0',
  info,
  paths: Object.assign({}, ...versions.map((version) => pathsOf(version, { type: 'string' }))) as object,
  definitions: {},
}

/** One document for each version. */
export const openapiV3 = (version: string) => ({
  openapi: '3.0.0',
  info,
  paths: pathsOf(version, { schema: { type: 'string' } }),
  components: { schemas: {} },
})

/** Where the documents are. */
export const openapiV3Index = {
  paths: Object.fromEntries(
    versions.map((version) => [
      `apis/${group}/${version}`,
      { serverRelativeURL: `/openapi/v3/apis/${group}/${version}?hash=${compatibleRelease}` },
    ]),
  ),
}
