import type { VirtualMachine } from '@kubevirt-ts/api'
import { shapeProblem } from '../schema/check.ts'
import { StatusError } from '../status-error.ts'
import type { RestParts, Target } from './parts.ts'
import { fetchVm, vmKind } from './subjects.ts'

/** A stored VM with what its instance type and preference say written into its template. */
export async function expandSpec({ client }: RestParts, target: Target): Promise<VirtualMachine> {
  const vm = await fetchVm(client, target)
  try {
    return expanded(vm)
  } catch (error) {
    throw new StatusError(500, `Internal error occurred: ${(error as Error).message}`, { cause: error })
  }
}

/** The same for a VM that a client sends, which need not be stored. Throws a 400 for what is no VM of the namespace. */
export function expandGiven(body: object, namespace: string): VirtualMachine {
  if (Object.keys(body).length === 0) throw new StatusError(400, 'empty request body')
  const vm = body as VirtualMachine
  checkShape(vm)
  const given = vm.metadata.namespace
  if (given && given !== namespace) {
    throw new StatusError(400, `VM namespace must be ${namespace}, as in the request's path; it is ${given}`)
  }
  return expanded(vm)
}

function checkShape(vm: VirtualMachine): void {
  const problem =
    vm.kind !== undefined && vm.kind !== 'VirtualMachine'
      ? { field: 'kind', message: `kind in body must be VirtualMachine, not ${String(vm.kind)}` }
      : typeof vm.metadata !== 'object' || vm.metadata === null
        ? { field: 'metadata', message: 'metadata in body is required' }
        : specProblem(vm.spec)
  if (!problem) return
  const causes = [{ reason: 'FieldValueInvalid', ...problem }]
  throw new StatusError(400, 'Object is not a valid VirtualMachine', { kind: vmKind, causes })
}

function specProblem(spec: unknown): { field: string; message: string } | undefined {
  if (typeof spec !== 'object' || spec === null) return { field: 'spec', message: 'spec in body is required' }
  const message = shapeProblem('VirtualMachineSpec', spec, 'spec')
  return message === undefined ? undefined : { field: message.split(' ', 1)[0]!, message }
}

/** A VM that names neither instance type nor preference is its own expansion. Throws a 400 for all others. */
function expanded(vm: VirtualMachine): VirtualMachine {
  const { instancetype, preference } = vm.spec
  if (!instancetype && !preference) return vm
  const named = instancetype ? `instance type ${instancetype.name ?? ''}` : `preference ${preference?.name ?? ''}`
  throw new StatusError(
    400,
    `the VM can not be expanded: applying ${named} is not part of this release; write CPU and memory into spec.template`,
    { kind: vmKind, ...(vm.metadata.name && { name: vm.metadata.name }) },
  )
}
