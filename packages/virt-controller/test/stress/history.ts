import { setTimeout as sleep } from 'node:timers/promises'
import { pods, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { Pod, ResourceType, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { vm, vmi, withContainerDisk, withMemory, withName, withRunStrategy } from '@kubevirt-ts/libvmi'
import { guestLabel } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { actionsIn, after, pick, seeded, strategies } from './model.ts'
import type { Action, State, Strategy } from './model.ts'
import { endGuest } from './players.ts'

const namespace = 'default'
// Under the limits of the tests that call it, so that a story that comes to no rest is told.
const shortPatienceMs = 90_000

/**
 * A VM lives through random actions; after each it must come to rest where the model says. Throws with its story, also
 * where a step takes longer than `patienceMs`.
 */
export async function live(seed: number, steps: number, cluster: Cluster, patienceMs = shortPatienceMs): Promise<void> {
  const { client } = cluster
  const limit = { cluster, patienceMs }
  const random = seeded(seed)
  const name = `vm-${seed}`
  const first: Strategy = pick(strategies, random)
  const story: string[] = [`created as ${first}`]
  const isUp = first === 'Always' || first === 'RerunOnFailure' || first === 'Once'
  let state: State = { strategy: first, guest: isUp ? 'running' : 'none' }
  try {
    await client.create(virtualMachines, machine(name, first))
    let uid = await rest(name, state, limit)
    for (let step = 0; step < steps; step++) {
      const action = pick(actionsIn(state), random)
      story.push('to' in action ? `strategy ${action.to}` : action.kind)
      await perform(name, action, client)
      const next = after(state, action)
      const now = await rest(name, next, limit, next.isNew ? uid : undefined)
      if (!next.isNew && next.guest !== 'none' && now !== uid) throw new Error(`guest ${uid} was replaced by ${now}`)
      uid = now
      state = next
    }
    await client.delete(virtualMachines, { namespace, name })
    story.push('deleted')
    await until(
      async () => (await find(virtualMachines, name, client)) === undefined,
      () => 'the VM is still there',
      patienceMs,
    )
    await rest(name, { ...state, guest: 'none' }, limit)
  } catch (error) {
    throw new Error(`history ${seed} (${story.join(', ')}): ${(error as Error).message}`, { cause: error })
  }
}

function machine(name: string, strategy: Strategy): VirtualMachine {
  const template = vmi(withName(name), withContainerDisk('root', 'registry.example/disk:1'), withMemory('64Mi'))
  const made = vm(template, withRunStrategy(strategy))
  return { ...made, metadata: { name, namespace } }
}

async function perform(name: string, action: Action, client: KubeClient): Promise<void> {
  const reference = { namespace, name }
  const guest = await find(virtualMachineInstances, name, client)
  const uid = guest?.metadata.uid
  const request = (...stateChangeRequests: object[]): Promise<unknown> =>
    client.patch(
      virtualMachines,
      reference,
      { status: { stateChangeRequests } },
      { type: 'merge', subresource: 'status' },
    )
  switch (action.kind) {
    case 'strategy':
      return void (await client.patch(
        virtualMachines,
        reference,
        { spec: { runStrategy: action.to } },
        { type: 'merge' },
      ))
    case 'start':
      return void (await request(...(guest === undefined ? [] : [{ action: 'Stop', uid }]), { action: 'Start' }))
    case 'stop':
      return void (await request({ action: 'Stop', uid }))
    case 'restart':
      return void (await request({ action: 'Stop', uid }, { action: 'Start' }))
    case 'loseGuest':
      return client.delete(virtualMachineInstances, reference)
    case 'succeed':
    case 'fail':
      if (guest !== undefined) await endAs(guest, action.kind === 'succeed' ? 'Succeeded' : 'Failed', client)
  }
}

/** A rival may write in between: the guest ends all the same. */
async function endAs(guest: VirtualMachineInstance, phase: 'Succeeded' | 'Failed', client: KubeClient): Promise<void> {
  await endGuest((await find(virtualMachineInstances, guest.metadata.name, client)) ?? guest, phase, client)
}

interface Limit {
  readonly cluster: Cluster
  readonly patienceMs: number
}

/** Waits for the state, told by VM, VMI and pods as a fresh read shows them. Answers the guest's UID. */
async function rest(
  name: string,
  state: State,
  { cluster, patienceMs }: Limit,
  before?: string,
): Promise<string | undefined> {
  let seen: View
  const holds = (view: View): boolean => {
    seen = view
    return isAtRest(view, state) && (before === undefined || view.guest?.metadata.uid !== before)
  }
  await until(
    // Thousands of histories that ask all the time would keep the server from what they wait for.
    async () => holds(viewOf(name, cluster)) && holds(await read(name, cluster.client)),
    () => `expected ${state.guest} under ${state.strategy}, but ${told(seen)}`,
    patienceMs,
  )
  return seen!.guest?.metadata.uid
}

interface View {
  readonly machine: VirtualMachine | undefined
  readonly guest: VirtualMachineInstance | undefined
  readonly pods: readonly Pod[]
}

const running = (all: readonly Pod[]): number => all.filter(({ status }) => status?.phase === 'Running').length

const phaseOf = ({ guest }: View): string => (guest === undefined ? 'none' : (guest.status?.phase ?? '').toLowerCase())

function isAtRest(view: View, state: State): boolean {
  const { machine } = view
  const isUp = state.guest === 'running'
  const isTold =
    machine === undefined ||
    (machine.status?.printableStatus === (isUp ? 'Running' : 'Stopped') &&
      (machine.status.stateChangeRequests ?? []).length === 0 &&
      machine.status.runStrategy === state.strategy)
  return phaseOf(view) === state.guest && running(view.pods) === (isUp ? 1 : 0) && isTold
}

function told(view: View): string {
  const { printableStatus, stateChangeRequests, runStrategy } = view.machine?.status ?? {}
  const requests = stateChangeRequests?.length ?? 0
  return `guest ${phaseOf(view)}, shown as ${printableStatus}, ${running(view.pods)} running pods, ${requests} requests, ${runStrategy} noticed`
}

function viewOf(name: string, { vms, vmis, launchers }: Cluster): View {
  const key = `${namespace}/${name}`
  return { machine: vms.get(key), guest: vmis.get(key), pods: launchers.byIndex('byGuest', name) }
}

async function read(name: string, client: KubeClient): Promise<View> {
  const labelSelector = `${guestLabel}=${name}`
  const [machine, guest, { items }] = await Promise.all([
    find(virtualMachines, name, client),
    find(virtualMachineInstances, name, client),
    client.list(pods, { namespace, labelSelector }),
  ])
  return { machine, guest, pods: items }
}

async function find<T>(resource: ResourceType<T>, name: string, client: KubeClient): Promise<T | undefined> {
  try {
    return await client.get(resource, { namespace, name })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

export async function until(
  holds: () => Promise<boolean>,
  what: () => string,
  limitMs = shortPatienceMs,
): Promise<void> {
  for (const deadline = Date.now() + limitMs; !(await holds()); await sleep(100)) {
    if (Date.now() > deadline) throw new Error(what())
  }
}
