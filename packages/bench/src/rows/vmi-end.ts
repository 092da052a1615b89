import { pods, virtualMachineInstances, type Pod, type VirtualMachineInstance } from '@kubevirt-ts/api'
import { containerDiskVmi, ensureNamespace, obedientPod, plainPod, remove, timeUntil } from '../objects/real-guests.ts'
import { isReady, isRunning, launcherImage } from './vmi-start.ts'
import { median, spread, type Bench, type Row } from '../row.ts'

/**
 * Delete with no grace to gone, beside the deletion of a two-container pod that ends at once, in turns. A pod that is
 * deleted with no grace itself tells little: its record goes at once, while what it ran goes on for seconds.
 */
export async function vmiEnd(bench: Bench): Promise<readonly Row[]> {
  await ensureNamespace(bench)
  const image = await launcherImage(bench)
  const forced: number[] = []
  const pod: number[] = []
  const vmi: number[] = []
  for (let run = 0; run < bench.runs; run++) {
    const name = `end-${run}`
    await timeUntil<Pod>(bench, pods, plainPod(bench.namespace, name, image), isReady)
    forced.push(await timeToRemove(bench, pods, name))
    await timeUntil<Pod>(bench, pods, obedientPod(bench.namespace, name, image), isReady)
    pod.push(await timeToRemove(bench, pods, name, 'own'))
    const guest = containerDiskVmi(bench.namespace, name)
    await timeUntil<VirtualMachineInstance>(bench, virtualMachineInstances, guest, isRunning)
    vmi.push(await timeToRemove(bench, virtualMachineInstances, name))
  }
  return [
    { name: 'plain pod: its record alone -> gone', value: median(forced), unit: 's', detail: spread(forced, 's') },
    { name: 'plain pod: delete -> gone', value: median(pod), unit: 's', detail: spread(pod, 's') },
    { name: 'VMI: delete -> gone', value: median(vmi), unit: 's', detail: spread(vmi, 's') },
    { name: 'VMI end beyond plain pod', value: median(vmi) - median(pod), unit: 's', goal: 1 },
  ]
}

async function timeToRemove(
  bench: Bench,
  resource: Parameters<typeof remove>[1],
  name: string,
  grace?: 'own',
): Promise<number> {
  const started = performance.now()
  await remove(bench, resource, name, grace)
  return (performance.now() - started) / 1000
}
