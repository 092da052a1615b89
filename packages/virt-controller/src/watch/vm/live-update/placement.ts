import type { VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import type { Step } from './step.ts'

/** Where the guest may run counts from its next move on. */
export const placement: Step = (spec, { template }) => {
  const { nodeSelector: _selector, affinity: _affinity, tolerations: _tolerations, ...rest } = spec
  const { nodeSelector, affinity, tolerations } = template
  const wanted: Pick<VirtualMachineInstanceSpec, 'nodeSelector' | 'affinity' | 'tolerations'> = {
    ...(nodeSelector && { nodeSelector }),
    ...(affinity && { affinity }),
    ...(tolerations && { tolerations }),
  }
  return { spec: { ...rest, ...wanted } }
}
