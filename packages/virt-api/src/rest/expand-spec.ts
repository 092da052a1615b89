import type { ResourceType, VirtualMachine } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { shapeProblem } from '../schema/check.ts'
import { StatusError } from '../status-error.ts'
import type { RestParts, Target } from './parts.ts'
import { fetchVm, vmKind } from './subjects.ts'

/** A stored VM with what its instance type and preference say written into its template. */
export async function expandSpec({ client }: RestParts, target: Target): Promise<VirtualMachine> {
  const vm = await fetchVm(client, target)
  try {
    return await expanded(client, vm, target.namespace)
  } catch (error) {
    throw new StatusError(500, `Internal error occurred: ${(error as Error).message}`, { cause: error })
  }
}

/** The same for a VM that a client sends, which need not be stored. Throws a 400 for what is no VM of the namespace. */
export async function expandGiven(
  { client }: Pick<RestParts, 'client'>,
  body: object,
  namespace: string,
): Promise<VirtualMachine> {
  if (Object.keys(body).length === 0) throw new StatusError(400, 'empty request body')
  const vm = body as VirtualMachine
  checkShape(vm)
  const given = vm.metadata.namespace
  if (given && given !== namespace) {
    throw new StatusError(400, `VM namespace must be ${namespace}, as in the request's path; it is ${given}`)
  }
  return expanded(client, vm, namespace)
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

/** Throws a 400 for names that lead nowhere, and for a template that says what its instance type says too. */
async function expanded(client: KubeClient, vm: VirtualMachine, namespace: string): Promise<VirtualMachine> {
  const { instancetype, preference } = vm.spec
  if (!instancetype && !preference) return vm
  const refuse = (message: string) => new StatusError(400, message, { kind: vmKind, name: vm.metadata.name })
  if (instancetype?.inferFromVolume || preference?.inferFromVolume) {
    throw refuse(
      'the VM can not be expanded before it is stored: name its instance type and preference, which are inferred then',
    )
  }
  // Few ask for this, so what applies instance types is loaded when somebody does.
  const { expand, find } = await import('@kubevirt-ts/instancetype')
  const placed = { ...vm, metadata: { ...vm.metadata, namespace } }
  const found = await find(placed, (resource, reference) => lookUp(client, resource, reference)).catch(
    (error: Error) => {
      throw refuse(error.message)
    },
  )
  if (found.missing) throw refuse(`${found.missing.name} not found: create it, or name another ${found.missing.what}`)
  const result = expand(vm, found)
  if (!result.conflicts) return result.vm
  throw refuse(
    `VM field(s) ${result.conflicts.join(', ')} conflicts with selected instance type; remove them from the template`,
  )
}

async function lookUp<T>(
  client: KubeClient,
  resource: ResourceType<T>,
  reference: { readonly namespace?: string; readonly name: string },
): Promise<T | undefined> {
  try {
    return await client.get(resource, reference)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
