import { expect, test } from '@jest/globals'
import { type VirtualMachineInstance, virtualMachineInstances } from '@kubevirt-ts/api'
import { type CmdHandlers, decodeVmi } from '@kubevirt-ts/handler-launcher-com'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ImageNotReady } from '../src/host/container-disk/images.ts'
import { CriticalNetworkError } from '../src/host/network/phase1.ts'
import {
  current,
  domain,
  guest,
  inPhase,
  node,
  podUid,
  startHandler,
  startLauncher,
  told,
  until,
  vmi,
} from './node-agent.ts'

/** The VMI as virt-controller leaves it when its pod is made. */
function scheduling(more: Partial<NonNullable<VirtualMachineInstance['status']>> = {}): VirtualMachineInstance {
  const { metadata, spec, ...rest } = vmi()
  const { labels: _labels, ...unlabelled } = metadata
  return { ...rest, metadata: unlabelled, spec, status: { phase: 'Scheduling', activePods: { [podUid]: '' }, ...more } }
}

async function handOver(): Promise<void> {
  const { metadata, status } = vmi()
  await node.client.patch(
    virtualMachineInstances,
    guest,
    { metadata: { labels: metadata.labels }, status },
    { type: 'merge' },
  )
}

/** The phases of the VMI with which the launcher was synchronised. */
function syncs() {
  const phases: string[] = []
  const waiting: (() => void)[] = []
  return {
    phases,
    note(phase: string | undefined): void {
      phases.push(phase ?? '')
      for (const resolve of waiting.splice(0)) resolve()
    },
    async reach(count: number): Promise<void> {
      while (phases.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}

/** A launcher whose guest stands still until its VMI is handed over. */
async function holdingLauncher(abilities?: { holdsEarlyGuests: boolean }) {
  const seen = syncs()
  const answers: Partial<CmdHandlers> = {
    async syncVirtualMachine({ vmi: bytes }) {
      const { status } = decodeVmi({ vmi: bytes })
      await launcher.tell(status?.phase === 'Scheduling' ? domain('Paused', 'User') : domain('Running', 'Unpaused'))
      seen.note(status?.phase)
      return { success: true, message: '' }
    },
    async killVirtualMachine() {
      await launcher.tell(domain('Shutoff', 'Destroyed'))
      return { success: true, message: '' }
    },
  }
  const launcher = await startLauncher(answers, abilities)
  return { ...launcher, seen }
}

/** Lists of VMIs by name; the informer's own has none. */
const questions = (): number => node.client.calls.filter(({ verb, namespace }) => verb === 'list' && namespace).length

test('a guest is made before its VMI is handed over, and runs with the hand-over', async () => {
  node.client = fakeClient([scheduling()])
  const { seen } = await holdingLauncher()
  const stop = await startHandler()
  await seen.reach(1)
  expect(node.client.writes()).toEqual([])
  expect(node.mounts).toHaveLength(1)

  await handOver()
  await inPhase('Running')
  await stop()

  expect(seen.phases).toEqual(['Scheduling', 'Scheduled'])
  expect(node.mounts).toHaveLength(1)
  expect(questions()).toBe(1)
  expect(current()?.status?.conditions?.map(({ type }) => type)).not.toContain('Paused')
  expect(told()).toEqual(['Created', 'Started'])
})

test('a launcher that would let the guest run at once is left alone until the hand-over', async () => {
  node.client = fakeClient([scheduling()])
  const { launcher, seen } = await holdingLauncher({ holdsEarlyGuests: false })
  const stop = await startHandler()
  // It is asked what it can do as soon as it has told whether there is a guest.
  while (!launcher.calls.includes('getDomain')) await new Promise((resolve) => setImmediate(resolve))

  await handOver()
  await inPhase('Running')
  await stop()

  expect(seen.phases).toEqual(['Scheduled'])
  expect(told()).toEqual(['Created', 'Started'])
})

test.each<[string, VirtualMachineInstance | undefined]>([
  ['there is no such VMI', undefined],
  ['the VMI is of another UID', { ...scheduling(), metadata: { ...scheduling().metadata, uid: 'uid-2' } }],
  ['the VMI has another pod', scheduling({ activePods: { 'pod-2': '' } })],
])('nothing is made for a pod whose claim is untrue: %s', async (_, each) => {
  node.client = fakeClient(each === undefined ? [] : [each])
  const { launcher } = await startLauncher()
  const asked = Promise.withResolvers<void>()
  node.client.intercept(({ verb, namespace }) => {
    if (verb === 'list' && namespace) asked.resolve()
  })
  const stop = await startHandler()
  await asked.promise
  await stop()

  expect(launcher.calls).toEqual([])
  expect(node.mounts).toEqual([])
  expect(await records()).toEqual([])
})

test('a pod cannot claim a guest that is known here already', async () => {
  node.client = fakeClient([vmi()])
  await startLauncher()
  const stop = await startHandler()
  await inPhase('Running')
  await stop()

  expect(questions()).toBe(0)
})

test('what failed before the hand-over is told with it, and then tried again', async () => {
  node.client = fakeClient([scheduling()])
  let attempts = 0
  const failed = Promise.withResolvers<void>()
  const { tell } = await startLauncher({
    async syncVirtualMachine() {
      attempts += 1
      failed.resolve()
      if (attempts === 1) return { success: false, message: 'DomainRefused: no room for the guest' }
      await tell(domain('Running'))
      return { success: true, message: '' }
    },
  })
  const stop = await startHandler()
  await failed.promise
  const synchronized = until((each) => each?.status?.conditions?.some(({ type }) => type === 'Synchronized') ?? false)
  await handOver()
  await synchronized
  await inPhase('Running')
  await stop()

  expect(attempts).toBe(2)
  expect(told()).toEqual(expect.arrayContaining(['SyncFailed', 'Created', 'Started']))
})

test('a network that could not be built before the hand-over fails the VMI with it, by its own words', async () => {
  node.client = fakeClient([scheduling()])
  let builds = 0
  const failed = Promise.withResolvers<void>()
  const setUp = async (): Promise<never> => {
    builds += 1
    failed.resolve()
    throw new CriticalNetworkError(builds === 1 ? 'the address is taken' : 'half built')
  }
  node.network = { ...node.network, setUp }
  await startLauncher()
  const stop = await startHandler()
  await failed.promise
  expect(current()?.status?.phase).toBe('Scheduling')

  await handOver()
  await inPhase('Failed')
  await stop()

  const condition = current()?.status?.conditions?.find(({ type }) => type === 'Synchronized')
  expect(condition).toMatchObject({ status: 'False', message: 'NetworkSetupFailed: the address is taken' })
  expect(current()?.status?.reason).toBe('NetworkSetupFailed')
})

test('a VMI that is deleted on its way has its guest ended without grace, and nothing is left', async () => {
  node.client = fakeClient([scheduling()])
  const { seen, tell, launcher } = await holdingLauncher()
  const stop = await startHandler()
  await seen.reach(1)

  await node.client.delete(virtualMachineInstances, guest)
  // As the launcher tells it when its pod is being stopped.
  const { spec, ...marked } = domain('Paused', 'User')
  await tell({
    ...marked,
    spec: { ...spec, metadata: { kubevirt: { graceperiod: { markedForGracefulShutdown: 'true' } } } },
  })
  while (node.unmounted.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await stop()

  expect(launcher.calls).toContain('killVirtualMachine')
  expect(launcher.calls).not.toContain('shutdownVirtualMachine')
  expect(seen.phases).toEqual(['Scheduling'])
  expect(told()).toEqual([])
})

test('a restart of the agent before the hand-over takes the guest up again, held as it was', async () => {
  node.client = fakeClient([scheduling()])
  const { seen } = await holdingLauncher()
  const stop = await startHandler()
  await seen.reach(1)
  await stop()

  const stopAgain = await startHandler()
  await seen.reach(2)
  await handOver()
  await inPhase('Running')
  await stopAgain()

  expect(seen.phases).toEqual(['Scheduling', 'Scheduling', 'Scheduled'])
})

test('a VMI that was handed over while the agent was away runs the guest that was made before', async () => {
  node.client = fakeClient([scheduling()])
  const { seen } = await holdingLauncher()
  const stop = await startHandler()
  await seen.reach(1)
  await stop()
  await handOver()

  const stopAgain = await startHandler()
  await inPhase('Running')
  await stopAgain()

  expect(seen.phases.at(-1)).toBe('Scheduled')
  expect(told()).toEqual(['Created', 'Started'])
})

test('the records of a pod that vanished on its way are removed', async () => {
  node.client = fakeClient([scheduling()])
  const tried = Promise.withResolvers<void>()
  // Its disk's container never comes up.
  node.mountImages = async () => {
    tried.resolve()
    throw new ImageNotReady('no container serves disk_0.sock yet')
  }
  const { launcher } = await startLauncher()
  const stop = await startHandler()
  await tried.promise
  expect(await records()).toEqual(['uid-1.json'])

  await node.client.patch(virtualMachineInstances, guest, { metadata: { finalizers: null } }, { type: 'merge' })
  await node.client.delete(virtualMachineInstances, guest)
  await rm(join(node.pods, podUid), { recursive: true })
  while (node.unmounted.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await stop()

  expect(launcher.calls).not.toContain('syncVirtualMachine')
})

const records = (): Promise<string[]> => readdir(join(node.folder, 'ghost-records'))
