import type { VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'

/** The strategy in force, also where the old field `running` says it. */
export function runStrategyOf({ spec }: VirtualMachine): string {
  return spec.runStrategy ?? (spec.running ? 'Always' : 'Halted')
}

export const isFinal = (vmi: VirtualMachineInstance): boolean =>
  vmi.status?.phase === 'Succeeded' || vmi.status?.phase === 'Failed'

/** A guest that runs or is about to. */
export const isLive = (vmi: VirtualMachineInstance | undefined): vmi is VirtualMachineInstance =>
  vmi !== undefined && !isFinal(vmi)

export const hasCondition = (
  object: { status?: { conditions?: { type?: string; status?: string }[] } },
  type: string,
) => (object.status?.conditions ?? []).some((each) => each.type === type && each.status === 'True')
