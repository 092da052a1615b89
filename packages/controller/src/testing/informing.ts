import type { ServerResponse } from 'node:http'
import { pods, type Pod } from '@kubevirt-ts/api'
import { createClient } from '@kubevirt-ts/kubecli'
import { reply, scriptedServer, type ScriptedRequest } from '@kubevirt-ts/kubecli/testing'
import { Informer } from '../informer/informer.ts'
import { silentLog } from './silent-log.ts'

/** A pod of node `n1` in a namespace. */
export const pod = (name: string, resourceVersion: string, uid = name): Pod =>
  ({
    metadata: { name, namespace: 'ns', uid, resourceVersion, managedFields: [{}] },
    spec: { nodeName: 'n1' },
  }) as unknown as Pod

export const list = (response: ServerResponse, resourceVersion: string, ...items: Pod[]) =>
  reply(response, 200, { metadata: { resourceVersion }, items })

/** A line of a watch. */
export const event = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`

export type Answer = (response: ServerResponse, request: ScriptedRequest) => void

/**
 * An informer of pods and a server of lists and watches, each from its own script; the last watch stays open. Who only
 * asks for the version is told it.
 */
export async function informing(script: {
  readonly lists: Answer[]
  readonly watches: Answer[]
  readonly optional?: boolean
  /** The server's version. */
  readonly now?: string
}) {
  const isQuestion = (request: ScriptedRequest) => request.url.searchParams.get('limit') === '1'
  const isWatch = (request: ScriptedRequest) => request.url.searchParams.has('watch')
  const server = await scriptedServer((request, response) => {
    if (isQuestion(request)) return list(response, script.now ?? '1000')
    const next = (isWatch(request) ? script.watches : script.lists).shift()
    if (next !== undefined) next(response, request)
    else response.flushHeaders()
  })
  const client = createClient(server.config, { userAgent: 'test' })
  const stop = new AbortController()
  const log: string[] = []
  const informer = new Informer({
    client,
    resource: pods,
    log: silentLog(),
    ...(script.optional === undefined ? {} : { optional: script.optional }),
    indexers: { node: (each) => (each.spec?.nodeName ? [each.spec.nodeName] : []) },
  })
  const changes = watchChanges(log)
  informer.on({
    added: (object) => changes.push(`+${object.metadata.name}`),
    updated: (before, after) =>
      changes.push(`${before.metadata.name}:${before.metadata.resourceVersion}>${after.metadata.resourceVersion}`),
    deleted: (object) => changes.push(`-${object.metadata.name}`),
  })
  informer.start(stop.signal, () => changes.push('went back'))
  return {
    informer,
    requests: server.requests,
    queries: (kind: 'list' | 'watch') =>
      server.requests
        .filter((each) => isWatch(each) === (kind === 'watch') && !isQuestion(each))
        .map((each) => each.url.searchParams),
    until: changes.until,
    log,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await client.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Records changes and wakes those who wait for one. */
function watchChanges(log: string[]) {
  const waiting = new Set<() => void>()
  return {
    push(change: string) {
      log.push(change)
      for (const wake of waiting) wake()
    },
    until: async (change: string): Promise<void> => {
      while (!log.includes(change)) {
        await new Promise<void>((resolve) => waiting.add(resolve))
      }
    },
  }
}
