import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { silentLog } from '@kubevirt-ts/controller/testing'
import type { Launcher } from '../launcher-clients/launcher-clients.ts'
import { carryOutChanges } from './pending-changes.ts'

const cpuLabel = 'kubevirt.io/vmi-pod-cpu-resource-limits'
const memoryLabel = 'kubevirt.io/vmi-pod-memory-resource-requests'

const vmi = (...changes: string[]): VirtualMachineInstance => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'testvm', namespace: 'default', labels: { [cpuLabel]: '2', [memoryLabel]: '3Gi', own: 'yes' } },
  spec: { domain: { devices: {}, cpu: { sockets: 2, cores: 1, threads: 1 }, memory: { guest: '2Gi' } } },
  status: {
    currentCPUTopology: { sockets: 1, cores: 1, threads: 1 },
    memory: { guestAtBoot: '1Gi', guestCurrent: '1Gi', guestRequested: '1Gi' },
    conditions: [{ type: 'Ready', status: 'True' }, ...changes.map((type) => ({ type, status: 'True' }) as const)],
  },
})

async function carriedOut(seen: VirtualMachineInstance, refusal?: string) {
  const asked: string[] = []
  const told: string[] = []
  const answer = (rpc: string) => async () => {
    asked.push(rpc)
    return { success: refusal === undefined, message: refusal ?? '' }
  }
  const cmd = { syncVirtualMachineCpUs: answer('cpus'), syncVirtualMachineMemory: answer('memory') }
  const guest = { namespace: 'default', name: 'testvm', uid: 'uid-1' }
  const launcher = { guest, podUid: 'pod', cmd } as unknown as Launcher
  const change = await carryOutChanges(seen, launcher, {
    configuration: () => ({}),
    events: { event: (_: unknown, __: unknown, reason: string, text: string) => void told.push(`${reason}: ${text}`) },
    log: silentLog(),
    now: () => Date.parse('2026-01-01T00:00:00Z'),
  } as unknown as Parameters<typeof carryOutChanges>[2])
  return { asked, told, after: change(seen) }
}

test('a guest that moved for more CPUs and memory gets both, and its VMI tells what it has', async () => {
  const { asked, after } = await carriedOut(vmi('HotVCPUChange', 'HotMemoryChange'))

  expect(asked).toEqual(['cpus', 'memory'])
  expect(after.status).toMatchObject({
    currentCPUTopology: { sockets: 2, cores: 1, threads: 1 },
    memory: { guestAtBoot: '1Gi', guestCurrent: '1Gi', guestRequested: '2Gi' },
    conditions: [{ type: 'Ready', status: 'True' }],
  })
  expect(after.metadata.labels).toEqual({ own: 'yes' })
})

test('a guest that moved for no change is left as it is', async () => {
  const seen = vmi()

  const { asked, after } = await carriedOut(seen)

  expect(asked).toEqual([])
  expect(after).toBe(seen)
})

test('a change that its launcher refuses is told and not tried for ever; the guest keeps what it has', async () => {
  const { told, after } = await carriedOut(vmi('HotVCPUChange'), 'no such CPU')

  expect(told).toEqual([expect.stringContaining('HotplugFailed: CPUs cannot be added: ')])
  expect(after.status?.currentCPUTopology).toMatchObject({ sockets: 1 })
  expect(after.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'HotVCPUChange', status: 'False', reason: 'HotplugFailed' }),
  )
})
