import type { FastifyInstance, FastifyRequest } from 'fastify'
import { group, versions } from '../discovery/documents.ts'
import { StatusError } from '../status-error.ts'
import { decodeOptions, readBody } from './body.ts'
import type { OptionType } from './body.ts'
import { canBackup, canFreeze, canPause, canSoftReboot, hasAgent } from './checks.ts'
import { cancelEvacuation, cancelVmEvacuation } from './evacuate-cancel.ts'
import { isDryRun } from './dry-run.ts'
import { expandGiven, expandSpec } from './expand-spec.ts'
import { readStream } from './get-body.ts'
import { memoryDump, removeMemoryDump } from './memory-dump.ts'
import { migrate } from './migrate.ts'
import { vmGraph, vmiGraph } from './object-graph.ts'
import type { RestParts, Target } from './parts.ts'
import { pass, readThrough } from './pass-through.ts'
import type { Check } from './pass-through.ts'
import { forwardAddress } from './portforward.ts'
import { reset } from './reset.ts'
import { restart } from './restart.ts'
import { canFetchCertificates, canMeasure, injectLaunchSecret, needSev, setupSession } from './sev.ts'
import { start } from './start.ts'
import { stop } from './stop.ts'
import { streams, vnc } from './streams.ts'
import { fetchVmi } from './subjects.ts'
import { unpause } from './unpause.ts'
import { addVmiVolume, addVmVolume, removeVmiVolume, removeVmVolume } from './volumes.ts'

type Put = (parts: RestParts, target: Target, body: object) => Promise<void>
/** Answers with an object. */
type Get = (parts: RestParts, target: Target, body: object) => Promise<object>

/** Requests that a controller works on, answered with 202. */
const vmPuts: Readonly<Record<string, Put>> = {
  start,
  stop,
  restart,
  migrate,
  addvolume: addVmVolume,
  removevolume: removeVmVolume,
  memorydump: memoryDump,
  removememorydump: removeMemoryDump,
}

const vmiRequests: Readonly<Record<string, Put>> = {
  addvolume: addVmiVolume,
  removevolume: removeVmiVolume,
  'sev/setupsession': setupSession,
}

const passed =
  (subresource: string, check: Check, type?: OptionType): Put =>
  (parts, target, body) =>
    pass(parts, target, subresource, check, type ? decodeOptions(type, body) : body)

/** Changes of a guest, answered with 200 when they are done. */
const vmiPuts: Readonly<Record<string, Put>> = {
  pause: passed('pause', canPause, 'PauseOptions'),
  unpause,
  freeze: passed('freeze', canFreeze, 'FreezeUnfreezeTimeout'),
  unfreeze: passed('unfreeze', canFreeze),
  softreboot: passed('softreboot', canSoftReboot),
  reset,
  backup: passed('backup', canBackup),
  'redefine-checkpoint': passed('redefine-checkpoint', canBackup),
  'sev/injectlaunchsecret': injectLaunchSecret,
  'evacuate/cancel': cancelEvacuation,
}

/** What a guest tells. */
const vmiReads: Readonly<Record<string, Check>> = {
  guestosinfo: hasAgent,
  userlist: hasAgent,
  filesystemlist: hasAgent,
  'vnc/screenshot': vnc,
  'sev/fetchcertchain': canFetchCertificates,
  'sev/querylaunchmeasurement': canMeasure,
}

const vmGets: Readonly<Record<string, Get>> = { 'expand-spec': expandSpec, objectgraph: vmGraph }
const vmiGets: Readonly<Record<string, Get>> = { objectgraph: vmiGraph }

const targetOf = (request: FastifyRequest) => request.params as Target

/** The subresources of VMs and VMIs, in both versions of the group. */
export function restRoutes(app: FastifyInstance, parts: RestParts): void {
  app.addHook('preHandler', async ({ params }) => {
    if (Object.values(params as object).includes(''))
      throw new StatusError(404, 'the server could not find the requested resource: a name in its address is empty')
  })
  for (const version of versions) versionRoutes(app, parts, `/apis/${group}/${version}/namespaces/:namespace`)
}

function versionRoutes(app: FastifyInstance, parts: RestParts, base: string): void {
  const vm = `${base}/virtualmachines/:name`
  const vmi = `${base}/virtualmachineinstances/:name`
  putRoutes(app, parts, vm, vmPuts, 202)
  putRoutes(app, parts, vm, { 'evacuate/cancel': cancelVmEvacuation }, 200)
  putRoutes(app, parts, vmi, vmiRequests, 202)
  putRoutes(app, parts, vmi, vmiPuts, 200)
  getRoutes(app, parts, vm, vmGets)
  getRoutes(app, parts, vmi, vmiGets)
  for (const [name, check] of Object.entries(vmiReads)) readRoute(app, parts, vmi, name, check)
  app.put(`${base}/expand-vm-spec`, async (request) =>
    expandGiven(parts, await readBody(request.body), targetOf(request).namespace),
  )
  streamRoutes(app, parts, vm, vmi)
}

/** Streams come as upgrades. Who asks for one without is told so, after what else is wrong. */
function streamRoutes(app: FastifyInstance, parts: RestParts, vm: string, vmi: string): void {
  for (const [name, check] of Object.entries(streams)) {
    app.get(`${vmi}/${name}`, async (request) => {
      check(await fetchVmi(parts.client, targetOf(request)))
      return notUpgraded()
    })
  }
  for (const [resource, subject] of Object.entries({ virtualmachines: vm, virtualmachineinstances: vmi })) {
    for (const path of [`${subject}/portforward/:port`, `${subject}/portforward/:port/:protocol`]) {
      app.get(path, async (request) => {
        await forwardAddress(parts, { resource, target: targetOf(request) })
        return notUpgraded()
      })
    }
  }
}

function notUpgraded(): never {
  throw new StatusError(400, 'Bad Request: this is a stream; ask for it with a WebSocket upgrade')
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
      const body = await readBody(request.body)
      await put(parts, { ...targetOf(request), dryRun: isDryRun(request.query, body) }, body)
      return reply.code(code).send()
    })
  }
}

function getRoutes(app: FastifyInstance, parts: RestParts, base: string, gets: Readonly<Record<string, Get>>): void {
  for (const [name, get] of Object.entries(gets)) {
    app.get(`${base}/${name}`, async (request) =>
      get(parts, targetOf(request), await readBody(await readStream(request.raw))),
    )
  }
}

/** Every failure of these, also a refusal, is a 500 with plain text: clients were made for it. */
function readRoute(app: FastifyInstance, parts: RestParts, base: string, name: string, check: Check): void {
  app.get(`${base}/${name}`, async (request, reply) => {
    if (name.startsWith('sev/')) needSev(parts.settings)
    const query = /\?.*/.exec(request.url)?.[0] ?? ''
    try {
      const { contentType, body } = await readThrough(parts, targetOf(request), `${name}${query}`, check)
      return await reply.type(contentType ?? 'application/json').send(body)
    } catch (error) {
      return reply
        .code(500)
        .type('text/plain')
        .send((error as Error).message)
    }
  })
}
