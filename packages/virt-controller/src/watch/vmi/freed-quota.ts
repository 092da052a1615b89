import { compareQuantity } from '@kubevirt-ts/api'
import type { Quantity, ResourceQuota, VirtualMachineInstance } from '@kubevirt-ts/api'
import { reason } from './reasons.ts'

type Amounts = Readonly<Record<string, Quantity>>

/** Whether a pod that the quota refused may be admitted now: more is allowed, or less is used. */
export function isFreed(before: ResourceQuota, after: ResourceQuota): boolean {
  const isLifted = Object.entries(before.spec?.hard ?? {}).some(([key, old]) => {
    const limit = after.spec?.hard?.[key]
    return limit === undefined || compareQuantity(limit, old) > 0
  })
  return isLifted || isAnyLess(after.status?.used ?? {}, before.status?.used ?? {})
}

function isAnyLess(now: Amounts, before: Amounts): boolean {
  return Object.entries(now).some(([key, amount]) => compareQuantity(amount, before[key] ?? amount) < 0)
}

/** A guest whose pod was refused. It is tried again after growing waits, of up to 17 minutes. */
export function isRefused({ status }: VirtualMachineInstance): boolean {
  const isWaiting = status?.phase === undefined || status.phase === 'Pending'
  return isWaiting && (status?.conditions?.some((each) => each.reason === reason.failedCreate) ?? false)
}
