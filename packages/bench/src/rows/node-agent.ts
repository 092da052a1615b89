import { nodes, virtualMachineInstances, type VirtualMachineInstance } from '@kubevirt-ts/api'
import { containerDiskVmi, ensureNamespace, remove, timeUntil } from '../objects/real-guests.ts'
import { listProcesses, memoryOf } from '../processes.ts'
import type { Bench, Row } from '../row.ts'
import { isRunning } from './vmi-start.ts'

const vms = 10
const settleMs = 15_000

/** The node agent's resident memory with ten guests, and what each of the last five adds. On a cluster of one node. */
export async function nodeAgent(bench: Bench): Promise<readonly Row[]> {
  await ensureNamespace(bench)
  const names = Array.from({ length: vms }, (_, index) => `agent-${index}`)
  const sizes: number[] = []
  for (const [index, name] of names.entries()) {
    const guest = containerDiskVmi(bench.namespace, name)
    await timeUntil<VirtualMachineInstance>(bench, virtualMachineInstances, guest, isRunning)
    if (index + 1 !== vms / 2 && index + 1 !== vms) continue
    await new Promise((resolve) => setTimeout(resolve, settleMs))
    sizes.push(await agentMiB(bench))
  }
  for (const name of names) await remove(bench, virtualMachineInstances, name)
  const [half = Number.NaN, all = Number.NaN] = sizes
  return [
    { name: `virt-handler with ${vms} VMs`, value: all, unit: 'MiB', goal: 90, detail: 'RSS' },
    {
      name: '  per further VM',
      value: (all - half) / (vms / 2),
      unit: 'MiB',
      goal: 0.5,
      detail: `from ${vms / 2} VMs`,
    },
  ]
}

async function agentMiB({ client }: Bench): Promise<number> {
  const { items } = await client.list(nodes)
  const [node] = items.filter(({ metadata }) => metadata.labels?.['kubevirt.io/schedulable'] === 'true')
  const agent = (await listProcesses()).find(
    ({ command }) =>
      command.includes('/app/virt-handler.mjs') && command.includes(`--hostname-override ${node?.metadata.name}`),
  )
  if (!agent) throw new Error(`no virt-handler of node ${node?.metadata.name} runs on this machine`)
  return (await memoryOf(agent.pid)).rssMiB
}
