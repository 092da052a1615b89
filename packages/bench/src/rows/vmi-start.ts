import { pods, virtualMachineInstances, type Pod, type VirtualMachineInstance } from '@kubevirt-ts/api'
import { containerDiskVmi, ensureNamespace, plainPod, remove, timeUntil } from '../objects/real-guests.ts'
import { median, spread, type Bench, type Row } from '../row.ts'

export const isReady = (pod: Pod) =>
  pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
export const isRunning = (vmi: VirtualMachineInstance) => vmi.status?.phase === 'Running'

/** How often the kubelet looks at its containers: each start is told with the next look. */
const kubeletLooksMs = 1_000

/**
 * Create to Running, beside a plain two-container pod's create to Ready, in turns. A creation that follows a deletion
 * falls into the same moment between two looks of the kubelet each time, so each one waits for a random time.
 */
export async function vmiStart(bench: Bench): Promise<readonly Row[]> {
  await ensureNamespace(bench)
  const image = await launcherImage(bench)
  const pod: number[] = []
  const vmi: number[] = []
  for (let run = 0; run < bench.runs; run++) {
    const name = `start-${run}`
    await betweenLooks(bench)
    pod.push(await timeUntil(bench, pods, plainPod(bench.namespace, name, image), isReady))
    await remove(bench, pods, name)
    await betweenLooks(bench)
    vmi.push(await timeUntil(bench, virtualMachineInstances, containerDiskVmi(bench.namespace, name), isRunning))
    await remove(bench, virtualMachineInstances, name)
  }
  return [
    { name: 'plain pod: create -> Ready', value: median(pod), unit: 's', detail: spread(pod, 's') },
    { name: 'VMI: create -> Running', value: median(vmi), unit: 's', detail: spread(vmi, 's') },
    { name: 'VMI start / plain pod', value: median(vmi) / median(pod), unit: 'x', goal: 2 },
  ]
}

const betweenLooks = ({ random }: Bench): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, random() * kubeletLooksMs))

/** The reference pods use the launcher's image, which every node holds, so that no download is measured. */
export async function launcherImage({ client }: Bench): Promise<string> {
  const { items } = await client.list(pods, { namespace: 'kubevirt', labelSelector: 'kubevirt.io=virt-handler' })
  const image = items[0]?.spec?.containers.find(({ name }) => name === 'virt-launcher-image-holder')?.image
  if (!image) throw new Error('no virt-handler pod names the launcher image; is the product installed?')
  return image
}
