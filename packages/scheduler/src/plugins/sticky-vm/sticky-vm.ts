import { label, type Pod } from '@kubevirt-ts/api'
import { controllerOf, keyFor } from '@kubevirt-ts/controller'
import { planVolumes, type HomePolicy, type NodeInfo } from '@kubevirt-ts/scheduling'
import { isDeepStrictEqual } from 'node:util'
import type { ClusterEvent, EventResource } from '../../framework/cluster-event.ts'
import type { CycleState } from '../../framework/cycle-state.ts'
import type { Plugin, PreFilterResult } from '../../framework/plugin.ts'
import type { PluginFactory, PluginServices } from '../../framework/registry.ts'
import { failure, messageOf, statusOf, type Status } from '../../framework/status.ts'
import { followHomes } from './follow-homes.ts'
import { followMigrations } from './follow-migrations.ts'
import { reachOf, type Reach } from './further-claims.ts'
import { Homes } from './homes.ts'
import { tellTrouble, troubleOf } from './home-trouble.ts'
import { ownerOf, type Owner } from './owner.ts'
import { policyOf, settingsOf, type StickySettings } from './settings.ts'

const key = 'StickyVM/home'

/** What this cycle knows of the pod's VM. */
interface Sticky extends Owner {
  readonly policy: HomePolicy
  readonly home: string | undefined
  /** For a VM without a home that will have more volumes than its pod. */
  readonly reach?: Reach
}

const success = statusOf('Success')
/** What decides which node reaches a claim. */
const storage: ReadonlySet<EventResource> = new Set(['PersistentVolume', 'PersistentVolumeClaim', 'StorageClass'])
const elsewhere = statusOf('Unschedulable', 'already stick to another node')

/** Implements PreFilter, Filter, PreScore, Score and PostBind: a VM starts on the node where it lived. */
export const stickyVm: PluginFactory = {
  name: 'StickyVM',
  create: (args, services) => new StickyVm(settingsOf(args), services),
}

class StickyVm implements Plugin {
  readonly name = 'StickyVM'
  readonly #settings: StickySettings
  readonly #services: PluginServices
  readonly #homes: Homes

  constructor(settings: StickySettings, services: PluginServices) {
    this.#settings = settings
    this.#services = services
    this.#homes = new Homes(services.client, settings)
  }

  start(signal: AbortSignal): void {
    const options = { homes: this.#homes, settings: this.#settings, services: this.#services }
    followHomes(options, signal)
    if (this.#settings.whenMigrated === 'move') followMigrations(options, signal)
  }

  preFilter(pod: Pod, cycle: CycleState): PreFilterResult {
    const line = this.#line(pod)
    line('preFilter: pod found')
    let sticky: Sticky | undefined
    try {
      sticky = this.#lookUp(pod, line)
    } catch (error) {
      line(`preFilter: look-up failed: ${(error as Error).message}`)
      return { status: failure(error) }
    }
    if (sticky === undefined) return { status: success }
    const { home, policy } = sticky
    const reach = home === undefined ? reachOf(pod, sticky.instance, cycle.snapshot) : undefined
    cycle.write(key, { ...sticky, ...(reach === undefined ? {} : { reach }) } satisfies Sticky)
    if (reach !== undefined) line(`preFilter: its node must reach its further claims too: ${reach.further.join(', ')}`)
    if (home === undefined) return { status: success }
    const trouble = troubleOf(home, this.#services.nodes.get(home), policy)
    if (trouble !== undefined) {
      line(`preFilter: ${trouble.message}`)
      void tellTrouble(sticky, trouble, this.#services)
    }
    if (policy !== 'required') return { status: success }
    if (trouble?.reason === 'HomeNodeMissing') {
      return { status: statusOf('UnschedulableAndUnresolvable', trouble.message) }
    }
    return { status: success, nodeNames: new Set([home]) }
  }

  filter(pod: Pod, node: NodeInfo, cycle: CycleState): Status {
    const sticky = cycle.read<Sticky>(key)
    if (sticky?.reach !== undefined) return this.#filterByReach(pod, node, sticky.reach)
    if (sticky?.home === undefined || sticky.policy !== 'required') return success
    const { name } = node
    const isHome = sticky.home === name
    this.#line(pod)(`filter: node ${name} ${isHome ? 'passed: it is the home' : `refused: the home is ${sticky.home}`}`)
    return isHome ? success : elsewhere
  }

  #filterByReach(pod: Pod, node: NodeInfo, { claims }: Reach): Status {
    const plan = planVolumes(claims, node)
    const refusal = 'code' in plan ? plan : undefined
    this.#line(pod)(
      `filter: node ${node.name} ${refusal === undefined ? 'passed: it reaches all claims' : `refused: ${messageOf(refusal)}`}`,
    )
    return refusal ?? success
  }

  preScore(_pod: Pod, _nodes: unknown, cycle: CycleState): typeof success {
    const sticky = cycle.read<Sticky>(key)
    return sticky?.home === undefined || sticky.policy !== 'preferred' ? statusOf('Skip') : success
  }

  score(_pod: Pod, { name }: { readonly name: string }, cycle: CycleState): number {
    const sticky = cycle.read<Sticky>(key)
    return sticky?.policy === 'preferred' && sticky.home === name ? 100 : 0
  }

  async postBind(pod: Pod, node: string, cycle: CycleState): Promise<void> {
    const sticky = cycle.read<Sticky>(key) ?? this.#lookUpQuietly(pod)
    if (sticky === undefined) return
    const { vm, home } = sticky
    const line = this.#line(pod)
    if (home === node) return line(`postBind: bound to its home ${node}`)
    const doesMove = home !== undefined && sticky.policy === 'preferred' && this.#settings.whenElsewhere === 'move'
    if (home !== undefined && !doesMove) {
      return line(`postBind: bound to ${node}, its home stays ${home}`)
    }
    const now = await this.#homes.remember(vm, node, doesMove ? { replacing: home } : {})
    line(
      now === node
        ? `postBind: home ${node} written`
        : `postBind: nothing written, the home is ${now ?? 'gone with its VM'}`,
    )
  }

  /**
   * The pod's instance or VM came into sight, the VM's annotations changed, a node came that may be the home, or, for the
   * first node, storage changed.
   */
  isHelpful({ resource, action, before, after }: ClusterEvent, pod: Pod): boolean {
    if (resource === 'Node') return action === 'Add'
    if (storage.has(resource)) return this.#lookUpQuietly(pod)?.home === undefined
    if (action === 'Delete' || after?.metadata.namespace !== pod.metadata.namespace) return false
    const ofPod = controllerOf({ metadata: pod.metadata })
    if (resource === 'VirtualMachineInstance') return action === 'Add' && after?.metadata.name === ofPod?.name
    if (resource !== 'VirtualMachine') return false
    const instance = this.#services.instances.get(keyFor(pod.metadata.namespace, ofPod?.name ?? ''))
    const isOwner = instance !== undefined && controllerOf(instance)?.uid === after?.metadata.uid
    return isOwner && !isDeepStrictEqual(before?.metadata.annotations, after?.metadata.annotations)
  }

  #lookUp(pod: Pod, line: (message: string) => void): Sticky | undefined {
    if (isMigrationTarget(pod)) {
      line('preFilter: it receives a migration, so the home does not count')
      return undefined
    }
    const owner = ownerOf(pod, this.#services)
    if (owner === undefined) {
      line(
        `preFilter: it belongs to no VM${controllerOf({ metadata: pod.metadata }) ? ' that keeps it' : ''}, any node will do`,
      )
      return undefined
    }
    const { instance, vm } = owner
    line(`preFilter: its VMI is ${instance.metadata.name}, its VM is ${vm.metadata.name}`)
    const { policy, unknown } = policyOf(vm, this.#settings)
    if (unknown !== undefined) line(`preFilter: "${unknown}" is no policy (required, preferred, off), taking ${policy}`)
    if (policy === 'off') {
      line('preFilter: its policy is off, any node will do')
      return undefined
    }
    const home = this.#homes.of(vm)
    line(
      home === undefined
        ? 'preFilter: it has no home yet, any node will do'
        : `preFilter: its home is ${home} (${policy})`,
    )
    return { ...owner, policy, home }
  }

  /** For profiles that enable PostBind without PreFilter. */
  #lookUpQuietly(pod: Pod): Sticky | undefined {
    if (isMigrationTarget(pod)) return undefined
    const owner = ownerOf(pod, this.#services)
    if (owner === undefined) return undefined
    const { policy } = policyOf(owner.vm, this.#settings)
    return policy === 'off' ? undefined : { ...owner, policy, home: this.#homes.of(owner.vm) }
  }

  #line({ metadata }: Pod): (message: string) => void {
    return (message) =>
      this.#services.log.info({ pod: `${metadata.namespace}/${metadata.name}`, plugin: this.name }, message)
  }
}

function isMigrationTarget({ metadata }: Pod): boolean {
  return metadata.labels?.[label.migrationJobUid] !== undefined
}
