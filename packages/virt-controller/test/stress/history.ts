import { setTimeout as sleep } from 'node:timers/promises'
import { pods, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { ResourceType, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { vm, vmi, withContainerDisk, withMemory, withName, withRunStrategy } from '@kubevirt-ts/libvmi'
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
export async function live(
  seed: number,
  steps: number,
  client: KubeClient,
  patienceMs = shortPatienceMs,
): Promise<void> {
  const limit = { client, patienceMs }
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
  readonly client: KubeClient
  readonly patienceMs: number
}

/** Waits for the state, told by VM, VMI and pods as a fresh read shows them. Answers the guest's UID. */
async function rest(
  name: string,
  state: State,
  { client, patienceMs }: Limit,
  before?: string,
): Promise<string | undefined> {
  let seen = ''
  let uid: string | undefined
  await until(
    async () => {
      const guest = await find(virtualMachineInstances, name, client)
      const machine = await find(virtualMachines, name, client)
      const labelSelector = `vmi.kubevirt.io/id=${name}`
      const { items } = await client.list(pods, { namespace, labelSelector })
      const alive = items.filter(({ status }) => status?.phase === 'Running').length
      uid = guest?.metadata.uid
      const phase = guest === undefined ? 'none' : (guest.status?.phase ?? '').toLowerCase()
      const shown = machine?.status?.printableStatus
      const requests = machine?.status?.stateChangeRequests?.length ?? 0
      seen = `guest ${phase}, shown as ${shown}, ${alive} running pods, ${requests} requests, ${machine?.status?.runStrategy} noticed`
      const isUp = state.guest === 'running'
      const noticed = machine?.status?.runStrategy
      const isTold =
        machine === undefined ||
        (shown === (isUp ? 'Running' : 'Stopped') && requests === 0 && noticed === state.strategy)
      return phase === state.guest && alive === (isUp ? 1 : 0) && isTold && (before === undefined || uid !== before)
    },
    () => `expected ${state.guest} under ${state.strategy}, but ${seen}`,
    patienceMs,
  )
  return uid
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
