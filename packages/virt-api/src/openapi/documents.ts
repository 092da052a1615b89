import { compatibleRelease } from '@kubevirt-ts/api'
import { group, resourceList, versions } from '../discovery/documents.ts'
import { bodyOf } from './bodies.ts'
import { schemaName, schemasOf } from './schemas.ts'

const info = { title: 'KubeVirt API', description: 'Subresources of virtual machines.', version: compatibleRelease }

const answers = {
  200: { description: 'OK' },
  202: { description: 'Accepted' },
  400: { description: 'Bad Request' },
  401: { description: 'Unauthorized' },
  403: { description: 'Forbidden' },
  404: { description: 'Not Found' },
  409: { description: 'Conflict' },
  422: { description: 'Unprocessable Entity' },
  500: { description: 'Internal Server Error' },
}

/** Subresources that are read; all others are put. */
const reads =
  /\/(console|vnc|vnc\/screenshot|usbredir|vsock|portforward.*|guestosinfo|userlist|filesystemlist|expand-spec|objectgraph|sev\/fetchcertchain|sev\/querylaunchmeasurement)$/

/** Served, though the list of resources does not name them, as clients have always seen it. */
const unlisted = [
  'virtualmachines/addvolume',
  'virtualmachines/removevolume',
  'virtualmachines/memorydump',
  'virtualmachines/removememorydump',
  ...['virtualmachines', 'virtualmachineinstances'].flatMap((resource) => [
    `${resource}/portforward/{port}`,
    `${resource}/portforward/{port}/{protocol}`,
  ]),
  'virtualmachineinstances/usbredir',
  'virtualmachineinstances/vsock',
]

/** How a specification of one version words parameters and bodies. */
interface Dialect {
  readonly parameter: (name: string) => object
  readonly body: (type: string) => object
}

const inPath = (name: string) => ({ name, in: 'path', required: true })

const swagger: Dialect = {
  parameter: (name) => ({ ...inPath(name), type: 'string' }),
  body: () => ({ parameters: [{ name: 'body', in: 'body', schema: { type: 'object' } }] }),
}

const openapi3: Dialect = {
  parameter: (name) => ({ ...inPath(name), schema: { type: 'string' } }),
  body: (type) => ({
    requestBody: {
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${schemaName(type)}` } } },
    },
  }),
}

function pathsOf(version: string, dialect: Dialect) {
  const base = `/apis/${group}/${version}/namespaces/{namespace}`
  const named = resourceList(version).resources.map(({ name }) => name)
  const operations = [...named.filter((name) => name.includes('/')), ...unlisted].map((name) => {
    const [resource, ...rest] = name.split('/')
    return [`${base}/${resource}/{name}/${rest.join('/')}`, operationOf(version, name, dialect)] as const
  })
  return Object.fromEntries([
    ...operations,
    [`${base}/expand-vm-spec`, operationOf(version, 'expand-vm-spec', dialect)],
  ])
}

function operationOf(version: string, name: string, { parameter, body }: Dialect) {
  const words = `${version}/${name}`.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, letter = '') => letter.toUpperCase())
  const type = bodyOf(name.replace(/^virtualmachine(instance)?s\//, ''))
  const inName = [...name.matchAll(/\{(\w+)\}/g)].map(([, each]) => each!)
  const parameters = ['namespace', ...(name.includes('/') ? ['name'] : []), ...inName].map(parameter)
  const operation = { operationId: words, ...(type && body(type)), responses: answers }
  return { parameters, [reads.test(name) ? 'get' : 'put']: operation }
}

/** Swagger 2.0 of everything, as the API server merges it into its own. */
export const openapiV2 = {
  swagger: '2.0',
  info,
  paths: Object.assign({}, ...versions.map((version) => pathsOf(version, swagger))) as object,
  definitions: {},
}

/** One document for each version. */
export const openapiV3 = (version: string) => ({
  openapi: '3.0.0',
  info,
  paths: pathsOf(version, openapi3),
  components: { schemas: schemasOf() },
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
