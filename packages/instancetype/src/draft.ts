import type { TemplateMeta, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'

/** The copy that the steps write into. */
export interface Draft {
  readonly metadata: TemplateMeta
  readonly spec: VirtualMachineInstanceSpec
}

/** Fills the fields that are unset and wished; an empty string counts as unset. */
export function fill<T extends object>(target: T, wishes: Partial<T>): void {
  for (const [name, wish] of Object.entries(wishes) as [keyof T, T[keyof T] | undefined][]) {
    if (wish === undefined || (target[name] !== undefined && target[name] !== '')) continue
    target[name] = structuredClone(wish)
  }
}
