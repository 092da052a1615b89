import { virtualMachineRestores } from '@kubevirt-ts/api'
import type { VirtualMachineRestore } from '@kubevirt-ts/api'
import type { Admitter } from '../admitter.ts'
import { invalid, notSupported, oneOf, required, when } from './cause.ts'
import { immutableSpec } from './immutable-spec.ts'
import { parsePatch } from './json-patch-text.ts'
import { ofKind } from './of-kind.ts'
import type { KindRule } from './of-kind.ts'
import { sourceCauses, virtualMachine } from './source.ts'

type Rule = KindRule<VirtualMachineRestore>

const target: Rule = ({ object: { spec } }) => sourceCauses(spec.target, 'spec.target', virtualMachine)

const snapshotName: Rule = ({ object: { spec } }) =>
  when(!spec.virtualMachineSnapshotName, () =>
    required('spec.virtualMachineSnapshotName', 'the name of a VirtualMachineSnapshot is needed'),
  )

const patches: Rule = ({ object: { spec } }) =>
  (spec.patches ?? []).flatMap((text, index) => {
    const field = `spec.patches[${index}]`
    const patch = parsePatch(text)
    if (!patch) return [invalid(field, `${field} is not a JSON patch operation with op and path`)]
    return when(!patch.path.startsWith('/spec/'), () =>
      invalid(field, `patching is valid only for elements under /spec/ only; ${patch.path} is not`),
    )
  })

const volumePolicies = ['RandomizeNames', 'InPlace', 'PrefixTargetName']
const ownershipPolicies = ['Vm', 'None']

const policies: Rule = ({ object: { spec } }) => [
  ...when(Boolean(spec.volumeRestorePolicy) && !volumePolicies.includes(spec.volumeRestorePolicy!), () =>
    notSupported(
      'spec.volumeRestorePolicy',
      `volume restore policy ${spec.volumeRestorePolicy} is unknown; ${oneOf(volumePolicies)}`,
    ),
  ),
  ...when(Boolean(spec.volumeOwnershipPolicy) && !ownershipPolicies.includes(spec.volumeOwnershipPolicy!), () =>
    notSupported(
      'spec.volumeOwnershipPolicy',
      `volume ownership policy ${spec.volumeOwnershipPolicy} is unknown; ${oneOf(ownershipPolicies)}`,
    ),
  ),
]

/** An override names a volume and says something about it. */
const overrides: Rule = ({ object: { spec } }) =>
  (spec.volumeRestoreOverrides ?? []).flatMap(({ volumeName, restoreName, labels, annotations }, index) => {
    const field = `spec.volumeRestoreOverrides[${index}]`
    return [
      ...when(!volumeName, () => required(`${field}.volumeName`, 'the name of the volume is needed')),
      ...when(!restoreName && !labels && !annotations, () =>
        invalid(field, `${field} overrides nothing; give restoreName, labels or annotations`),
      ),
    ]
  })

export const restoreRules: readonly Rule[] = [target, snapshotName, patches, policies, overrides, immutableSpec]

const byRules = ofKind(restoreRules)

/** One restore of a VM at a time. */
export const admitRestore: Admitter = async (request, context) => {
  const refused = await byRules(request, context)
  if (request.operation !== 'CREATE' || (refused.causes ?? []).length > 0) return refused
  const { spec } = request.object as VirtualMachineRestore
  const { namespace } = request
  const { items } = await context.client.list(virtualMachineRestores, { ...(namespace && { namespace }) })
  const running = items.find((each) => each.spec.target.name === spec.target.name && !each.status?.complete)
  if (!running) return {}
  const message = `VirtualMachineRestore "${running.metadata.name}" in progress; wait until it is complete, or delete it`
  return { causes: [invalid('spec.target', message)] }
}
