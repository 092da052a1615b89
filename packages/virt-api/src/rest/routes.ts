import type { FastifyInstance, FastifyRequest } from 'fastify'
import { group, versions } from '../discovery/documents.ts'
import { StatusError } from '../status-error.ts'
import { decodeOptions } from './body.ts'
import { canFreeze, canPause, canSoftReboot, canUnpause, hasAgent } from './checks.ts'
import type { RestParts, Target } from './parts.ts'
import { pass, readThrough } from './pass-through.ts'
import type { Check } from './pass-through.ts'
import { reset } from './reset.ts'
import { restart } from './restart.ts'
import { start } from './start.ts'
import { stop } from './stop.ts'
import { streams } from './streams.ts'

type Put = (parts: RestParts, target: Target, body: unknown) => Promise<void>

/** Changes of a VM, answered with 202: its controller does the work. */
const vmPuts: Readonly<Record<string, Put>> = { start, stop, restart }

const passed =
  (subresource: string, check: Check): Put =>
  (parts, target, body) =>
    pass(parts, target, subresource, check, body, decodeOptions(body, { dryRun: 'strings' }).dryRun)

/** Changes of a guest, answered with 200 when they are done. */
const vmiPuts: Readonly<Record<string, Put>> = {
  pause: passed('pause', canPause),
  unpause: passed('unpause', canUnpause),
  freeze: passed('freeze', canFreeze),
  unfreeze: passed('unfreeze', canFreeze),
  softreboot: passed('softreboot', canSoftReboot),
  reset,
}

/** What a guest tells. */
const vmiGets: Readonly<Record<string, Check>> = {
  guestosinfo: hasAgent,
  userlist: hasAgent,
  filesystemlist: hasAgent,
}

/** Documented subresources that are not served yet. */
const later = {
  virtualmachines: [
    'migrate',
    'addvolume',
    'removevolume',
    'memorydump',
    'removememorydump',
    'expand-spec',
    'objectgraph',
    'evacuate/cancel',
  ],
  virtualmachineinstances: [
    'addvolume',
    'removevolume',
    'vnc/screenshot',
    'usbredir',
    'vsock',
    'objectgraph',
    'evacuate/cancel',
    'backup',
    'redefine-checkpoint',
    'sev/fetchcertchain',
    'sev/querylaunchmeasurement',
    'sev/setupsession',
    'sev/injectlaunchsecret',
  ],
} as const

const targetOf = (request: FastifyRequest) => request.params as Target

/** The subresources of VMs and VMIs, in both versions of the group. */
export function restRoutes(app: FastifyInstance, parts: RestParts): void {
  for (const version of versions) versionRoutes(app, parts, `/apis/${group}/${version}/namespaces/:namespace`)
}

function versionRoutes(app: FastifyInstance, parts: RestParts, base: string): void {
  const vm = `${base}/virtualmachines/:name`
  const vmi = `${base}/virtualmachineinstances/:name`
  putRoutes(app, parts, vm, vmPuts, 202)
  putRoutes(app, parts, vmi, vmiPuts, 200)
  for (const [name, check] of Object.entries(vmiGets)) getRoute(app, parts, vmi, name, check)
  const forwards = [vm, vmi].flatMap((subject) => [
    `${subject}/portforward/:port`,
    `${subject}/portforward/:port/:protocol`,
  ])
  for (const path of [...Object.keys(streams).map((name) => `${vmi}/${name}`), ...forwards]) app.get(path, notUpgraded)
  for (const [resource, names] of Object.entries(later)) {
    for (const name of names) app.all(`${base}/${resource}/:name/${name}`, notServed)
  }
}

function notUpgraded(): never {
  throw new StatusError(400, 'Bad Request: this is a stream; ask for it with a WebSocket upgrade')
}

function notServed({ url }: FastifyRequest): never {
  const [resource, , ...subresource] = url.split('?')[0]!.split('/').slice(6)
  throw new StatusError(501, `${resource}/${subresource.join('/')} is not served by this release of kubevirt-ts`)
}

function putRoutes(
  app: FastifyInstance,
  parts: RestParts,
  base: string,
  puts: Readonly<Record<string, Put>>,
  code: number,
): void {
  for (const [name, put] of Object.entries(puts)) {
    app.put(`${base}/${name}`, async (request, reply) => {
      await put(parts, targetOf(request), request.body)
      return reply.code(code).send()
    })
  }
}

/** Every failure of these, also a refusal, is a 500 with plain text: clients were made for it. */
function getRoute(app: FastifyInstance, parts: RestParts, base: string, name: string, check: Check): void {
  app.get(`${base}/${name}`, async (request, reply) => {
    try {
      const { contentType, body } = await readThrough(parts, targetOf(request), name, check)
      return await reply.type(contentType ?? 'application/json').send(body)
    } catch (error) {
      return reply
        .code(500)
        .type('text/plain')
        .send((error as Error).message)
    }
  })
}
