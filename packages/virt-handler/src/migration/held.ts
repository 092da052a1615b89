import type { Domain } from '@kubevirt-ts/domain'

/** Whether the guest's copy on this node stands still because its target may run it. */
export const isHeld = (domain: Domain | undefined): boolean =>
  domain?.spec?.metadata?.kubevirt?.migration?.inDoubt === 'true'
