import { setTimeout as sleep } from 'node:timers/promises'
import { pods, virtualMachineInstances } from '@kubevirt-ts/api'
import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isConflict, isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'

const node = 'node01'
/** Until a request that failed is made again. */
const againMs = 200

/** What was seen that must never be. */
export interface Witness {
  readonly wrong: string[]
  /** UIDs of launcher pods, by the UID of their VMI. */
  readonly podsOf: Map<string, Set<string>>
}

/** Gives a pod its node. */
export type Bind = (pod: Pod['metadata']) => Promise<void>

/** Plays scheduler, kubelet and node agent, and watches that no guest ever gets a second pod. */
export function play(client: KubeClient, signal: AbortSignal, bind: Bind = bindWith(client)): Witness {
  const witness: Witness = { wrong: [], podsOf: new Map() }
  void follow(signal, () => followPods({ client, bind, witness, signal }))
  void follow(signal, () => followVmis(client, signal))
  return witness
}

function bindWith(client: KubeClient): Bind {
  return async ({ namespace, name }) => {
    const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: node } }
    await client.request({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods/${name}/binding`, body })
  }
}

interface Play {
  readonly client: KubeClient
  readonly bind: Bind
  readonly witness: Witness
  readonly signal: AbortSignal
}

async function follow(signal: AbortSignal, once: () => Promise<void>): Promise<void> {
  while (!signal.aborted) await once().catch(() => sleep(againMs))
}

async function followPods({ client, bind, witness, signal }: Play): Promise<void> {
  const labelSelector = 'kubevirt.io=virt-launcher'
  const turns = new Turns(signal)
  for await (const { type, object } of client.watch(pods, { labelSelector, signal })) {
    if (type === 'BOOKMARK') continue
    testify(object, witness)
    if (type !== 'DELETED') turns.take(`${object.metadata.uid}`, () => patiently(() => kubelet(object, client, bind)))
  }
}

function testify({ metadata }: Pod, { wrong, podsOf }: Witness): void {
  const owner = metadata.ownerReferences?.[0]?.uid ?? ''
  const known = podsOf.get(owner) ?? new Set()
  podsOf.set(owner, known.add(metadata.uid ?? ''))
  if (known.size > 1) wrong.push(`guest ${owner} got ${known.size} launcher pods: ${metadata.name}`)
}

/** Binds, runs, and lets go of pods. */
async function kubelet({ metadata, spec, status }: Pod, client: KubeClient, bind: Bind): Promise<void> {
  const reference = { namespace: metadata.namespace, name: metadata.name }
  if (metadata.deletionTimestamp !== undefined) {
    await client.delete(pods, reference, { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } })
    return
  }
  if (!spec.nodeName) return bind(metadata)
  if (status?.phase !== undefined && status.phase !== 'Pending') return
  const running = { running: { startedAt: new Date().toISOString() } }
  const containerStatuses = spec.containers.map(({ name }) => ({
    name,
    image: 'image',
    imageID: '',
    ready: true,
    restartCount: 0,
    state: running,
  }))
  const conditions = [{ type: 'Ready', status: 'True' }]
  const body = { status: { phase: 'Running', containerStatuses, conditions } }
  await client.patch(pods, reference, body, { type: 'strategic', subresource: 'status' })
}

async function followVmis(client: KubeClient, signal: AbortSignal): Promise<void> {
  const turns = new Turns(signal)
  for await (const { type, object } of client.watch(virtualMachineInstances, { signal })) {
    if (type !== 'ADDED' && type !== 'MODIFIED') continue
    turns.take(`${object.metadata.uid}`, () => patiently(() => agent(object, client)))
  }
}

/** Starts what was handed over, and shuts down what is deleted. */
async function agent(vmi: VirtualMachineInstance, client: KubeClient): Promise<void> {
  const phase = vmi.status?.phase
  const isDeleted = vmi.metadata.deletionTimestamp !== undefined
  if (phase === 'Scheduled' && !isDeleted) await setPhase(vmi, 'Running', client)
  if ((phase === 'Running' || phase === 'Scheduled') && isDeleted) await endGuest(vmi, 'Succeeded', client)
}

/** The guest ends: the agent says how, and the kubelet that the pod is over. */
export async function endGuest(
  vmi: VirtualMachineInstance,
  phase: 'Succeeded' | 'Failed',
  client: KubeClient,
): Promise<void> {
  await setPhase(vmi, phase, client)
  const { items } = await client.list(pods, {
    namespace: vmi.metadata.namespace ?? '',
    labelSelector: `kubevirt.io/created-by=${vmi.metadata.uid}`,
  })
  for (const { metadata } of items) {
    const reference = { namespace: metadata.namespace, name: metadata.name }
    const body = { status: { phase } }
    await patiently(
      async () => void (await client.patch(pods, reference, body, { type: 'strategic', subresource: 'status' })),
    )
  }
}

async function setPhase(vmi: VirtualMachineInstance, phase: string, client: KubeClient): Promise<void> {
  const { namespace, name } = vmi.metadata
  const stamps = vmi.status?.phaseTransitionTimestamps ?? []
  const stamp = { phase, phaseTransitionTimestamp: `${new Date().toISOString().slice(0, 19)}Z` }
  const patch = [
    { op: 'test', path: '/metadata/uid', value: vmi.metadata.uid },
    { op: 'test', path: '/status/phase', value: vmi.status?.phase },
    { op: 'replace', path: '/status/phase', value: phase },
    { op: 'add', path: '/status/phaseTransitionTimestamps', value: [...stamps, stamp] },
  ]
  await client.patch(virtualMachineInstances, { namespace, name }, patch, { type: 'json' })
}

/** What is done for one object is done in order, for several at the same time. */
class Turns {
  readonly #last = new Map<string, Promise<void>>()
  readonly #signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  take(object: string, act: () => Promise<void>): void {
    const turn = (this.#last.get(object) ?? Promise.resolve())
      .then(() => this.#untilDone(act))
      .finally(() => {
        if (this.#last.get(object) === turn) this.#last.delete(object)
      })
    this.#last.set(object, turn)
  }

  async #untilDone(act: () => Promise<void>): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        return await act()
      } catch {
        await sleep(againMs)
      }
    }
  }
}

/** Others write too: what was lost comes again as an event. */
async function patiently(act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error) && (error as { code?: number }).code !== 422) throw error
  }
}
