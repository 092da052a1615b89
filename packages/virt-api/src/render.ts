import { mutateVmAdmitter, mutateVmiAdmitter } from './webhooks/mutating/admit.ts'
import { shaped } from './webhooks/schema/admit.ts'
import { createVmi, validateVmAdmitter } from './webhooks/validating/admit.ts'

/** The pure door: what the webhooks make of a new object, without a server. `virt-render` uses it. */
export { reviewResponse } from './webhooks/review.ts'
export type { AdmissionContext, Admitter, JsonPatchStep } from './webhooks/admitter.ts'

/** The webhooks that the API server asks about a new object, by kind and in their order. */
export const webhooksOf = {
  VirtualMachine: {
    mutate: shaped('VirtualMachine', mutateVmAdmitter),
    validate: shaped('VirtualMachine', validateVmAdmitter),
  },
  VirtualMachineInstance: {
    mutate: shaped('VirtualMachineInstance', mutateVmiAdmitter),
    validate: shaped('VirtualMachineInstance', createVmi),
  },
} as const
