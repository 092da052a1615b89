import { virtualMachineInstances, type VirtualMachineInstance } from '@kubevirt-ts/api'
import { containerDiskVmi, ensureNamespace, remove, timeUntil } from '../objects/real-guests.ts'
import { family, listProcesses, memoryOf, type Process } from '../processes.ts'
import type { Bench, Row } from '../row.ts'

const vms = 5
const settleMs = 15_000

/** What a running VM costs besides QEMU itself: proportional memory of every other process of its pod. */
export async function launcherMemory(bench: Bench): Promise<readonly Row[]> {
  await ensureNamespace(bench)
  const names = Array.from({ length: vms }, (_, index) => `memory-${index}`)
  for (const name of names) {
    await timeUntil<VirtualMachineInstance>(
      bench,
      virtualMachineInstances,
      containerDiskVmi(bench.namespace, name),
      (vmi) => vmi.status?.phase === 'Running',
    )
  }
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  const costs = await costsPerProcess(bench.namespace)
  for (const name of names) await remove(bench, virtualMachineInstances, name)
  const total = costs.reduce((sum, { pssMiB }) => sum + pssMiB, 0)
  return [
    ...costs.map(({ name, pssMiB }): Row => ({ name: `  ${name}`, value: pssMiB, unit: 'MiB', detail: 'PSS per VM' })),
    { name: 'memory per VM besides QEMU', value: total, unit: 'MiB', goal: 40, detail: `PSS, ${vms} VMs running` },
  ]
}

async function costsPerProcess(namespace: string): Promise<{ name: string; pssMiB: number }[]> {
  const all = await listProcesses()
  const shims = all.filter(({ pid }) => isPodOf(all, pid, namespace))
  const sums = new Map<string, number>()
  for (const { pid } of shims) {
    for (const member of family(all, pid)) {
      const name = programOf(member)
      if (name === undefined) continue
      const { pssMiB } = await memoryOf(member.pid)
      sums.set(name, (sums.get(name) ?? 0) + pssMiB)
    }
  }
  return [...sums].map(([name, sum]) => ({ name, pssMiB: sum / vms })).toSorted((a, b) => b.pssMiB - a.pssMiB)
}

/** A pod is recognised by its containerd shim: the parent of everything in it. */
function isPodOf(all: readonly Process[], pid: number, namespace: string): boolean {
  const shim = all.find((process) => process.pid === pid)
  if (!shim?.command.includes('containerd-shim')) return false
  return family(all, pid).some(({ command }) => command.includes(`guest=${namespace}_`))
}

/** The name under which a process counts; QEMU and the kubelet's own (shim, pause) do not. */
function programOf({ name, command }: Process): string | undefined {
  if (command.includes('containerd-shim') || name === 'pause' || name.startsWith('qemu-system')) return undefined
  return command.includes('/app/virt-launcher.mjs') ? 'virt-launcher' : name
}
