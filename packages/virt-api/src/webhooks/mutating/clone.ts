import type { VirtualMachineClone } from '@kubevirt-ts/api'
import type { Admitter } from '../admitter.ts'

/** Length of what makes the name of an unnamed target unique. */
const suffixLength = 5

/** A clone without a target becomes a VM that is named after its source. */
export const mutateCloneAdmitter: Admitter = ({ object }, { chance }) => {
  const { spec } = object as VirtualMachineClone
  if (spec.target?.name || !spec.source?.name) return {}
  const suffix = chance.newId().replaceAll('-', '').slice(0, suffixLength)
  const target = {
    apiGroup: 'kubevirt.io',
    kind: 'VirtualMachine',
    ...spec.target,
    name: `clone-${spec.source.name}-${suffix}`,
  }
  return { patch: [{ op: spec.target ? 'replace' : 'add', path: '/spec/target', value: target }] }
}
