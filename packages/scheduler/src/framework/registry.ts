import type {
  KubeObject,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  VirtualMachine,
  VirtualMachineInstance,
} from '@kubevirt-ts/api'
import type { EventRecorder, Informer, Lister } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { PodInfo } from '@kubevirt-ts/scheduling'
import type { Logger } from '@kubevirt-ts/service'
import type { Framework } from './framework.ts'
import type { Plugin } from './plugin.ts'
import type { WaitingPods } from './waiting-pods.ts'

/** A cache that may tell of changes. */
export type Followed<T extends KubeObject> = Lister<T> & Partial<Pick<Informer<T>, 'on'>>

/** What a plugin may use. Reads come from caches that are filled before the first pod is scheduled. */
export interface PluginServices {
  readonly client: KubeClient
  readonly log: Logger
  readonly events: Pick<EventRecorder, 'event'>
  readonly waitingPods: WaitingPods
  readonly pods: Lister<Pod>
  readonly nodes: Followed<Node>
  readonly claims: Lister<PersistentVolumeClaim>
  readonly volumes: Lister<PersistentVolume>
  readonly disruptionBudgets: Lister<PodDisruptionBudget>
  readonly virtualMachines: Followed<VirtualMachine>
  readonly instances: Followed<VirtualMachineInstance>
  /** Pods that wait for room on the node. */
  readonly nominatedTo: (node: string) => readonly PodInfo[]
  /** The profile that the plugin belongs to; not to be used before the plugin is asked for the first time. */
  readonly framework: () => Framework
}

/** A plugin's arguments in a profile; a mistake is told with its place in the file. */
export interface PluginArguments {
  fields<const K extends string>(...known: readonly K[]): Partial<Record<K, PluginArgument>>
}

export interface PluginArgument extends PluginArguments {
  string(): string
  boolean(): boolean
  integer(bounds?: { readonly minimum?: number; readonly maximum?: number }): number
  oneOf<const T extends string>(...values: readonly T[]): T
  duration(): number
  items(): PluginArgument[]
  value(): unknown
  error(problem: string): Error
}

/** Makes a plugin for a profile. What a module given by `--plugin` exports as `default`, alone or in a list. */
export interface PluginFactory {
  readonly name: string
  create(args: PluginArguments | undefined, services: PluginServices): Plugin
}
