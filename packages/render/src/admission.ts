import type { AdmissionRequest, AdmissionResponse, VirtualMachineInstancePreset } from '@kubevirt-ts/api'
import { reviewResponse, webhooksOf } from '@kubevirt-ts/virt-api/render'
import type { AdmissionContext, Admitter, JsonPatchStep } from '@kubevirt-ts/virt-api/render'
import { isGateEnabled } from '@kubevirt-ts/virt-config'
import type { Workload } from './manifest.ts'
import type { ObjectReference, Objects } from './objects.ts'
import type { World } from './world.ts'

export interface Verdict {
  readonly allowed: boolean
  readonly causes: readonly { readonly type: string; readonly field: string; readonly message: string }[]
  /** HTTP code of a refusal. */
  readonly code?: number
  /** Which webhook refused. */
  readonly stage?: 'mutate' | 'validate'
  readonly warnings?: readonly string[]
}

export interface Admitted {
  readonly verdict: Verdict
  /** The object with its defaults; absent when the mutating webhook refused it. */
  readonly mutated?: Workload
}

/** Does with a new object what the API server does: asks the mutating webhook, applies its patch, asks the other. */
export async function admit(workload: Workload, world: World): Promise<Admitted> {
  const { mutate, validate } = webhooksOf[workload.kind as keyof typeof webhooksOf]
  const mutation = await ask(mutate, workload, world)
  if (!mutation.allowed) return { verdict: verdictOf(mutation, 'mutate') }
  const mutated = patched(workload, mutation)
  return { verdict: verdictOf(await ask(validate, mutated, world), 'validate'), mutated }
}

async function ask(webhook: Admitter, object: Workload, world: World): Promise<AdmissionResponse> {
  const { name, namespace } = object.metadata
  const request = { uid: '', operation: 'CREATE', name, namespace, object, userInfo: {} } as unknown as AdmissionRequest
  return reviewResponse(request, await webhook(request, admissionContext(world))).response!
}

function admissionContext({ configuration, objects, context }: World): AdmissionContext {
  const generated = [context.firmware.uuid, context.firmware.serial]
  return {
    settings: { configuration, isEnabled: (gate) => isGateEnabled(configuration, gate) },
    chance: { now: () => new Date().toISOString(), newId: () => generated.shift() ?? context.firmware.serial },
    namespace: 'kubevirt',
    presets: (namespace) =>
      objects.inNamespace('VirtualMachineInstancePreset', namespace) as VirtualMachineInstancePreset[],
    client: clientOf(objects),
  }
}

/** Webhooks only read when they judge a new object. */
function clientOf(objects: Objects): AdmissionContext['client'] {
  const get = async ({ kind }: { readonly kind: string }, reference: Omit<ObjectReference, 'kind'>) =>
    objects.find({ kind, ...reference })
  return { get } as unknown as AdmissionContext['client']
}

/** A webhook replaces whole members of the object, so that a patch's paths have one part. */
function patched(workload: Workload, { patch }: AdmissionResponse): Workload {
  if (patch === undefined) return workload
  const steps = JSON.parse(Buffer.from(patch, 'base64').toString()) as JsonPatchStep[]
  return { ...workload, ...Object.fromEntries(steps.map(({ path, value }) => [path.slice(1), value])) }
}

function verdictOf({ allowed, status, warnings }: AdmissionResponse, stage: 'mutate' | 'validate'): Verdict {
  const told = { ...(warnings && { warnings }) }
  if (allowed) return { allowed, causes: [], ...told }
  const causes = (status?.details?.causes ?? []).map(({ reason = '', field = '', message = '' }) => ({
    type: reason,
    field,
    message,
  }))
  return { allowed, ...(status?.code && { code: status.code }), stage, causes, ...told }
}
