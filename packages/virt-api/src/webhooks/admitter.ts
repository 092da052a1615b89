import type { AdmissionRequest, VirtualMachineInstancePreset } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Settings } from './settings.ts'
import type { Chance } from './mutating/vmi.ts'
import type { Cause } from './validating/cause.ts'

/** What an admitter may look at besides the request. */
export interface AdmissionContext {
  readonly settings: Settings
  readonly client: KubeClient
  readonly chance: Chance
  /** Namespace that KubeVirt is installed in. */
  readonly namespace: string
  /** The presets of a namespace; absent: there are none. */
  readonly presets?: (namespace: string) => readonly VirtualMachineInstancePreset[]
}

export interface JsonPatchStep {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string
  readonly value?: unknown
}

/** An admitter's answer: refused for causes, or with a code and a message; else allowed, with a patch if any. */
export interface Admission {
  readonly causes?: readonly Cause[]
  readonly denied?: { readonly code: number; readonly message: string }
  readonly patch?: readonly JsonPatchStep[]
  readonly warnings?: readonly string[]
}

export type Admitter = (request: AdmissionRequest, context: AdmissionContext) => Admission | Promise<Admission>

const serviceAccounts = [
  'kubevirt-apiserver',
  'kubevirt-controller',
  'kubevirt-handler',
  'kubevirt-synchronization-controller',
]

/** Whether one of KubeVirt's own service accounts asks. */
export function isKubeVirt({ userInfo }: AdmissionRequest, { namespace }: AdmissionContext): boolean {
  return serviceAccounts.some((name) => userInfo.username === `system:serviceaccount:${namespace}:${name}`)
}
