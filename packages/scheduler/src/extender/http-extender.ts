import type { Pod } from '@kubevirt-ts/api'
import { maxScore, type NodeInfo } from '@kubevirt-ts/scheduling'
import { readFile } from 'node:fs/promises'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import type { Extender } from '../framework/schedule-pod.ts'
import { statusOf, type Status } from '../framework/status.ts'
import type { ExtenderConfiguration } from '../profiles/extenders.ts'
import {
  maxExtenderScore,
  type ExtenderArgs,
  type ExtenderBindingArgs,
  type ExtenderBindingResult,
  type ExtenderFilterResult,
  type HostPriority,
} from './protocol.ts'

const maxAnswerBytes = 64 * 1024 * 1024

/** An extender that a configuration names. Reads its TLS files once. */
export async function httpExtender(configuration: ExtenderConfiguration): Promise<Extender> {
  const tls = await tlsOf(configuration)
  const ask = async <T>(verb: string, body: unknown): Promise<T> => {
    const { urlPrefix, httpTimeoutMs } = configuration
    return JSON.parse(
      await post(new URL(`${urlPrefix}/${verb}`), JSON.stringify(body), { ...tls, timeoutMs: httpTimeoutMs }),
    ) as T
  }
  const { filterVerb, prioritizeVerb, bindVerb, weight, nodeCacheCapable } = configuration
  const argsFor = (pod: Pod, nodes: readonly NodeInfo[]): ExtenderArgs =>
    nodeCacheCapable
      ? { Pod: pod, NodeNames: nodes.map(({ name }) => name) }
      : { Pod: pod, Nodes: { items: nodes.map(({ node }) => node) } }
  return {
    name: configuration.urlPrefix,
    isIgnorable: configuration.ignorable,
    isInterested: (pod) => isInterested(pod, configuration),
    filter: async (pod, nodes) => {
      if (filterVerb === undefined) return { nodes, refused: new Map() }
      return filtered(nodes, await ask<ExtenderFilterResult>(filterVerb, argsFor(pod, nodes)))
    },
    prioritize: async (pod, nodes) => {
      if (prioritizeVerb === undefined) return new Map()
      const scores = await ask<readonly HostPriority[]>(prioritizeVerb, argsFor(pod, nodes))
      return new Map(scores.map(({ Host, Score }) => [Host, Score * weight * (maxScore / maxExtenderScore)]))
    },
    ...(bindVerb === undefined
      ? {}
      : {
          bind: async ({ metadata }, node) => {
            const { name: PodName, namespace: PodNamespace = '', uid: PodUID = '' } = metadata
            const args: ExtenderBindingArgs = { PodName, PodNamespace, PodUID, Node: node }
            const { Error: problem = '' } = await ask<ExtenderBindingResult>(bindVerb, args)
            if (problem !== '') throw new Error(problem)
          },
        }),
  }
}

/** Pods that ask for a resource that the extender manages, or all pods when it manages none. */
function isInterested({ spec }: Pod, { managedResources }: ExtenderConfiguration): boolean {
  if (managedResources.length === 0) return true
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  return managedResources.some(({ name }) =>
    containers.some(
      ({ resources }) => resources?.requests?.[name] !== undefined || resources?.limits?.[name] !== undefined,
    ),
  )
}

function filtered(
  nodes: readonly NodeInfo[],
  result: ExtenderFilterResult,
): { readonly nodes: readonly NodeInfo[]; readonly refused: ReadonlyMap<string, Status> } {
  if (result.Error) throw new Error(result.Error)
  const left = new Set(result.NodeNames ?? (result.Nodes?.items ?? []).map(({ metadata }) => metadata.name))
  const refused = new Map<string, Status>()
  for (const [name, why] of Object.entries(result.FailedNodes ?? {})) refused.set(name, statusOf('Unschedulable', why))
  for (const [name, why] of Object.entries(result.FailedAndUnresolvableNodes ?? {})) {
    refused.set(name, statusOf('UnschedulableAndUnresolvable', why))
  }
  return { nodes: nodes.filter(({ name }) => left.has(name)), refused }
}

async function tlsOf({ tls, urlPrefix }: ExtenderConfiguration): Promise<RequestOptions> {
  const file = async (path: string | undefined) => (path === undefined ? undefined : readFile(path, 'utf8'))
  const [ca, cert, key] = await Promise.all([tls.caFile, tls.certFile, tls.keyFile].map(file))
  if (ca === undefined && !tls.insecure && urlPrefix.startsWith('https:')) {
    throw new Error(`extender ${urlPrefix}: give tlsConfig.caFile, or tlsConfig.insecure: true to trust any server`)
  }
  return {
    rejectUnauthorized: !tls.insecure,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}

async function post(
  url: URL,
  body: string,
  { timeoutMs, ...options }: RequestOptions & { timeoutMs: number },
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const send = url.protocol === 'https:' ? httpsRequest : process.getBuiltinModule('node:http').request
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const signal = AbortSignal.timeout(timeoutMs)
  const outgoing = send(url, { ...options, method: 'POST', headers, signal }, (response) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size > maxAnswerBytes) outgoing.destroy(new Error(`${url.href} answered more than ${maxAnswerBytes} bytes`))
    })
    response.on('end', () => {
      if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString())
      else reject(new Error(`${url.href} answered ${response.statusCode}`))
    })
    response.on('error', reject)
  })
  outgoing.on('error', (cause) =>
    reject(new Error(`extender ${url.href} cannot be asked: ${cause.message}`, { cause })),
  )
  outgoing.end(body)
  return promise
}
