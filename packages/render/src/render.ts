import type { KubeObject, KubeVirtConfiguration, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { mergeConfiguration } from '@kubevirt-ts/virt-config'
import { admit } from './admission.ts'
import type { Admitted } from './admission.ts'
import type { RenderContext } from './context.ts'
import type { Workload } from './manifest.ts'
import { objectsOf } from './objects.ts'
import type { Output } from './output.ts'
import type { World } from './world.ts'

export interface RenderRequest {
  readonly workload: Workload
  readonly output: Output
  /** `spec.configuration` of the KubeVirt resource; without it, that of a cluster whose nodes emulate. */
  readonly configuration?: KubeVirtConfiguration
  /** What the workload refers to. */
  readonly objects: readonly KubeObject[]
  readonly context: RenderContext
}

export interface Rendered {
  readonly allowed: boolean
  /** The output; absent when there is none. A refused object may have one: it has been defaulted. */
  readonly text?: string
  /** Why there is no output, in words for the user. */
  readonly complaint?: string
}

const emulation: KubeVirtConfiguration = { developerConfiguration: { useEmulation: true } }

/** What the product makes of a workload. Throws for a configuration that is not valid. */
export async function render({ workload, output, configuration, objects, context }: RenderRequest): Promise<Rendered> {
  const world: World = {
    configuration: mergeConfiguration(configuration ?? emulation),
    objects: objectsOf(objects, context.namespace),
    context,
  }
  const admitted = await admit(inNamespace(workload, context.namespace), world)
  if (output === 'admission') return { allowed: admitted.verdict.allowed, text: json(admitted.verdict) }
  if (output === 'mutated') return answer(admitted, admitted.mutated && json(admitted.mutated))
  return renderGuest(admitted, output, world)
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

function inNamespace<T extends Workload>(workload: T, namespace: string): T {
  return { ...workload, metadata: { ...workload.metadata, namespace: workload.metadata?.namespace || namespace } }
}

const answer = ({ verdict: { allowed, causes } }: Admitted, text: string | undefined): Rendered =>
  text === undefined
    ? { allowed, complaint: `refused: ${causes.map(({ message }) => message).join(', ')}` }
    : { allowed, text }

/** The pod or domain, also of what is refused where it can be made. */
async function renderGuest(admitted: Admitted, output: 'pod' | 'domain', world: World): Promise<Rendered> {
  if (admitted.mutated === undefined) return answer(admitted, undefined)
  try {
    const started = await guestOf(admitted, admitted.mutated, world)
    if (started.mutated === undefined) return answer(started, undefined)
    const vmi = withUid(started.mutated as VirtualMachineInstance, world.context)
    const text = await (output === 'pod' ? podText(vmi, world) : domainText(vmi, world))
    return answer(started, text)
  } catch (error) {
    return { allowed: admitted.verdict.allowed, complaint: (error as Error).message }
  }
}

/** The VMI: itself, or the one that a VM's start makes, admitted in its turn. */
async function guestOf(admitted: Admitted, mutated: Workload, world: World): Promise<Admitted> {
  if (mutated.kind !== 'VirtualMachine') return admitted
  const { vmiOf } = await import('./vmi-of-vm.ts')
  const { verdict, ...started } = await admit(await vmiOf(mutated as VirtualMachine, world), world)
  return { ...started, verdict: admitted.verdict.allowed ? verdict : admitted.verdict }
}

const withUid = (vmi: VirtualMachineInstance, { uid }: RenderContext): VirtualMachineInstance => ({
  ...vmi,
  metadata: { ...vmi.metadata, uid },
})

// Each kind of output is loaded only when it is asked for.

async function podText(vmi: VirtualMachineInstance, world: World): Promise<string> {
  const { podOf } = await import('./pod.ts')
  return json(podOf(vmi, world))
}

async function domainText(vmi: VirtualMachineInstance, world: World): Promise<string> {
  const { domainOf } = await import('./domain.ts')
  return domainOf(vmi, world)
}
