import type {
  Event,
  KubeObject,
  Node,
  PersistentVolumeClaim,
  Pod,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
} from '@kubevirt-ts/api'

/** All that is looked at; what is absent is not there, or was not to be seen (`hidden` tells which). */
export interface Seen {
  readonly name: string
  readonly namespace: string
  readonly vm?: VirtualMachine
  readonly vmi?: VirtualMachineInstance
  /** The launcher that holds the guest: the newest, without targets of migrations. */
  readonly pod?: Pod
  readonly node?: Node
  /** The virt-handler of that node. */
  readonly handler?: Pod
  /** The newest first. */
  readonly migrations: readonly VirtualMachineInstanceMigration[]
  /** By name; undefined for a claim that is not there. */
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim | undefined>
  /** Warnings about VM, VMI, pod and claims, the newest first. */
  readonly warnings: readonly Event[]
  readonly dataVolumes: ReadonlyMap<string, KubeObject & { readonly status?: { readonly phase?: string } }>
  /** What the user may not see, in words. */
  readonly hidden: readonly string[]
  readonly now: Date
}

interface Conditioned {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason?: string
      readonly message?: string
      readonly lastTransitionTime?: string | null
    }[]
  }
}

/** What the object says of itself under that name. */
export const conditionOf = (object: Conditioned | undefined, type: string) =>
  object?.status?.conditions?.find((each) => each.type === type)

/** When a condition became what it is. */
export const sinceOf = (condition: { readonly lastTransitionTime?: string | null } | undefined) => ({
  ...(condition?.lastTransitionTime && { since: condition.lastTransitionTime }),
})

/** When a thing happened, the last time. */
export const timeOf = ({ lastTimestamp, eventTime, metadata }: Event): string | undefined =>
  lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? undefined

/** Ready for a shell: kubectl or virtctl with the namespace of the machine. */
export const kubectl = ({ namespace }: Seen, command: string) => `kubectl -n ${namespace} ${command}`
export const virtctl = ({ namespace }: Seen, command: string) => `virtctl -n ${namespace} ${command}`

/** How the machine is changed: what runs already stays as it was until it is started anew. */
export function change(seen: Seen): string {
  if (!seen.vm) return kubectl(seen, 'replace --force -f FILE')
  const edit = kubectl(seen, `edit vm ${seen.name}`)
  return seen.vmi ? `${edit} && ${virtctl(seen, `restart ${seen.name}`)}` : edit
}

/** What last kept a guest from being what its manifest says, in one line. */
export function lastFailure(object: Parameters<typeof conditionOf>[0]): string | undefined {
  const { status, message } = conditionOf(object, 'Synchronized') ?? {}
  return status === 'False' ? message?.replaceAll(/\s+/g, ' ') : undefined
}
