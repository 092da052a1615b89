import { invalid, when } from '../cause.ts'
import type { Cause } from '../cause.ts'
import { bytes } from '../quantities.ts'
import type { Rule } from '../rule.ts'

const smallestRequest = 1_000_000n

export const memoryRequest: Rule = ({ spec: { domain }, field }) => {
  const path = `${field}.domain.resources.requests.memory`
  const given = domain.resources?.requests?.['memory']
  const request = bytes(given)
  const limit = bytes(domain.resources?.limits?.['memory'])
  const causes: Cause[] = []
  if (request !== undefined && request < 0n) {
    causes.push(invalid(path, `${path} '${given}': must be greater than or equal to 0.`))
  }
  if (request !== undefined && request > 0n && request < smallestRequest) {
    causes.push(invalid(path, `${path} '${given}': must be greater than or equal to 1M.`))
  }
  if (request !== undefined && limit !== undefined && limit > 0n && request > limit) {
    causes.push(
      invalid(path, `${path} '${given}' is greater than ${field}.domain.resources.limits.memory; raise the limit`),
    )
  }
  return causes
}

export const memoryLimit: Rule = ({ spec: { domain }, field }) => {
  const limit = bytes(domain.resources?.limits?.['memory'])
  const path = `${field}.domain.resources.limits.memory`
  return when(limit !== undefined && limit < 0n, () => invalid(path, `${path}: must be greater than or equal to 0.`))
}

/** With the Stage strategy the guest's memory is final, so it must fit the limit now. */
export const guestWithinLimit: Rule = ({ spec: { domain }, field, settings }) => {
  const guest = bytes(domain.memory?.guest)
  const limit = bytes(domain.resources?.limits?.['memory'])
  const staged = (settings.configuration.vmRolloutStrategy ?? 'LiveUpdate') !== 'LiveUpdate'
  return when(staged && guest !== undefined && limit !== undefined && limit > 0n && guest > limit, () =>
    invalid(
      `${field}.domain.memory.guest`,
      `${field}.domain.memory.guest '${domain.memory!.guest}' must be equal to or less than the memory limit ${field}.domain.resources.limits.memory '${domain.resources!.limits!['memory']}'`,
    ),
  )
}

export const hugePages: Rule = ({ spec: { domain }, field }) => {
  const pageSize = domain.memory?.hugepages?.pageSize
  if (domain.memory?.hugepages === undefined) return []
  const page = bytes(pageSize)
  if (page === undefined || page <= 0n) {
    const path = `${field}.domain.memory.hugepages.pageSize`
    return [invalid(path, `${path} '${pageSize}': not a quantity; write for example 2Mi or 1Gi`)]
  }
  const memory =
    bytes(domain.resources?.requests?.['memory']) ??
    bytes(domain.memory.guest) ??
    bytes(domain.resources?.limits?.['memory'])
  const path = `${field}.domain.resources.requests.memory`
  if (memory === undefined) return []
  if (memory < page) {
    return [invalid(path, `${path}: must be equal to or larger than the page size ${pageSize} of the huge pages`)]
  }
  return when(memory % page !== 0n, () =>
    invalid(path, `${path}: must be a multiple of the page size ${pageSize} of the huge pages`),
  )
}

/** What is kept free for QEMU beside the guest's memory, and whether all of it may be locked. */
export const reservedOverhead: Rule = ({ spec: { domain }, field, settings }) => {
  const path = `${field}.domain.memory.reservedOverhead`
  return when(domain.memory?.reservedOverhead !== undefined && !settings.isEnabled('ReservedOverheadMemlock'), () =>
    invalid(path, `${path}: the feature gate ReservedOverheadMemlock is not enabled in the KubeVirt resource`),
  )
}
