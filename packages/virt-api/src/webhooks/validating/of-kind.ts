import type { KubeObject } from '@kubevirt-ts/api'
import type { Admitter } from '../admitter.ts'
import type { Settings } from '../settings.ts'
import type { Cause } from './cause.ts'

/** An object as a user wants it, and as it was: absent for a new one. */
export interface Given<T> {
  readonly object: T
  readonly old?: T
  readonly settings: Settings
}

/** What one noun of a kind must be like: nothing when all is well. Pure, never throws. */
export type KindRule<T> = (given: Given<T>) => Cause[]

/** An admitter that asks all rules of a kind. What is being deleted may always change, so that it can go. */
export const ofKind =
  <T extends KubeObject>(rules: readonly KindRule<T>[]): Admitter =>
  ({ object, oldObject }, { settings }) => {
    const next = object as T
    if (next.metadata.deletionTimestamp) return {}
    const given = { object: next, settings, ...(oldObject != null && { old: oldObject as T }) }
    return { causes: rules.flatMap((rule) => rule(given)) }
  }
