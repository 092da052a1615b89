import { pods, type Node, type Pod } from '@kubevirt-ts/api'
import type { Lister } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { NodeInfo, snapshotOf, type Snapshot, type Volumes } from '@kubevirt-ts/scheduling'
import { CycleState } from '../framework/cycle-state.ts'
import type { Plugin } from '../framework/plugin.ts'
import { messageOf, type Status } from '../framework/status.ts'
import {
  maxExtenderScore,
  type ExtenderArgs,
  type ExtenderBindingArgs,
  type ExtenderBindingResult,
  type ExtenderFilterResult,
  type HostPriority,
} from './protocol.ts'

/** What StickyVM says to a stock kube-scheduler that asks it as an extender. */
export interface StickyAnswers {
  filter(args: ExtenderArgs): Promise<ExtenderFilterResult>
  prioritize(args: ExtenderArgs): Promise<readonly HostPriority[]>
  bind(args: ExtenderBindingArgs): Promise<ExtenderBindingResult>
}

export interface StickyAnswersOptions {
  /** StickyVM and DefaultBinder. */
  readonly sticky: Plugin
  readonly binder: Plugin
  readonly client: KubeClient
  readonly nodes: Lister<Node>
  readonly volumes: Volumes
}

export function stickyAnswers({ sticky, binder, client, nodes, volumes }: StickyAnswersOptions): StickyAnswers {
  // The plugin needs no nodes but those it is asked about.
  const snapshot: Snapshot = { ...snapshotOf({ nodes: [] }), volumes }
  const named = (name: string) => new NodeInfo(nodes.get(name) ?? { metadata: { name } })
  const look = async (pod: Pod) => {
    const cycle = new CycleState(snapshot)
    const { status } = await sticky.preFilter!(pod, cycle)
    return { cycle, status }
  }
  return {
    filter: async (args) => {
      const { cycle, status } = await look(args.Pod)
      if (status.code === 'Error') return { Error: messageOf(status) }
      const names = namesOf(args)
      if (status.code !== 'Success') return refusedEverywhere(names, status)
      const refused = new Map<string, string>()
      for (const name of names) {
        const verdict = await sticky.filter!(args.Pod, named(name), cycle)
        if (verdict.code !== 'Success') refused.set(name, messageOf(verdict))
      }
      return { ...kept(args, (name) => !refused.has(name)), FailedNodes: Object.fromEntries(refused) }
    },
    prioritize: async (args) => {
      const { cycle, status } = await look(args.Pod)
      const scoreOf = async (name: string) =>
        status.code === 'Success' ? await sticky.score!(args.Pod, named(name), cycle) : 0
      return Promise.all(
        namesOf(args).map(async (Host) => ({
          Host,
          Score: Math.trunc(((await scoreOf(Host)) * maxExtenderScore) / 100),
        })),
      )
    },
    bind: async ({ PodName: name, PodNamespace: namespace, PodUID: uid, Node: node }) => {
      const pod = await client.get(pods, { name, namespace })
      if (pod.metadata.uid !== uid) return { Error: `pod ${namespace}/${name} is another one than was asked about` }
      const { cycle, status } = await look(pod)
      if (status.code !== 'Success') return { Error: messageOf(status) }
      const home = await sticky.filter!(pod, named(node), cycle)
      if (home.code !== 'Success') return { Error: messageOf(home) }
      const bound = await binder.bind!(pod, node, cycle)
      if (bound.code !== 'Success') return { Error: messageOf(bound) }
      await sticky.postBind!(pod, node, cycle)
      return {}
    },
  }
}

function namesOf({ NodeNames, Nodes }: ExtenderArgs): readonly string[] {
  return NodeNames ?? (Nodes?.items ?? []).map(({ metadata }) => metadata.name)
}

/** Answers in the form that was asked in: names, or whole nodes. */
function kept({ NodeNames, Nodes }: ExtenderArgs, doesStay: (name: string) => boolean): ExtenderFilterResult {
  if (NodeNames) return { NodeNames: NodeNames.filter(doesStay) }
  return { Nodes: { items: (Nodes?.items ?? []).filter(({ metadata }) => doesStay(metadata.name)) } }
}

function refusedEverywhere(names: readonly string[], status: Status): ExtenderFilterResult {
  return {
    NodeNames: [],
    Nodes: { items: [] },
    FailedAndUnresolvableNodes: Object.fromEntries(names.map((name) => [name, messageOf(status)])),
  }
}
