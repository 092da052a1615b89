import type { FastifyInstance } from 'fastify'
import { profilerRoutes } from '@kubevirt-ts/service'
import { group, versions } from '../discovery/documents.ts'
import type { Settings } from '../settings.ts'
import { StatusError } from '../status-error.ts'
import type { AskComponents, ProfilerAnswer, Verb } from './components.ts'

export interface ProfilerParts {
  readonly settings: Settings
  readonly askComponents: AskComponents
}

const verbs: readonly Verb[] = ['start', 'stop', 'dump']

/** The profiler of virt-api itself, and those of all components together: open to all, while the cluster allows it. */
export function addProfilers(app: FastifyInstance, { settings, askComponents }: ProfilerParts): void {
  const isOn = () => settings.configuration.developerConfiguration?.clusterProfiler === true
  for (const [path, handle] of Object.entries(profilerRoutes(isOn))) {
    app.get(path, async (request, reply) => {
      const { status, body, contentType } = await handle(request.raw)
      return reply
        .code(status)
        .type(contentType ?? 'text/plain')
        .send(body)
    })
  }
  for (const version of versions) {
    for (const verb of verbs) {
      app.get(`/apis/${group}/${version}/${verb}-cluster-profiler`, async (_, reply) => {
        if (!isOn()) throw switchedOff(verb)
        const answers = await askComponents(verb)
        refuseFailed(verb, answers)
        return verb === 'dump' ? results(answers) : reply.code(200).send()
      })
    }
  }
}

const switchedOff = (verb: Verb) =>
  new StatusError(
    403,
    `Unable to ${verb} profiler. The feature "ClusterProfiler" must be enabled: set ` +
      'spec.configuration.developerConfiguration.clusterProfiler of the KubeVirt resource',
  )

function refuseFailed(verb: Verb, answers: readonly ProfilerAnswer[]): void {
  const failed = answers.filter(({ status }) => status !== 200)
  if (failed.length === 0) return
  const told = failed.map(({ pod, status, body }) => `${pod}: ${status || 'no answer'}, ${body.toString().trim()}`)
  throw new StatusError(500, `Internal error occurred: unable to ${verb} profiler of ${told.join('; ')}`)
}

/** The profiles by pod, each a file in base64. */
const results = (answers: readonly ProfilerAnswer[]) => ({
  componentResults: Object.fromEntries(
    answers.map(({ pod, body }) => [pod, { pprofData: { 'cpu.cpuprofile': body.toString('base64') } }]),
  ),
})
