import { invalid, notSupported, oneOf, required, when } from '../cause.ts'
import type { Cause } from '../cause.ts'
import { bytes, milli } from '../quantities.ts'
import type { Rule } from '../rule.ts'

export const cpuResources: Rule = ({ spec: { domain }, field }) => {
  const requestField = `${field}.domain.resources.requests.cpu`
  const limitField = `${field}.domain.resources.limits.cpu`
  const request = milli(domain.resources?.requests?.['cpu'])
  const limit = milli(domain.resources?.limits?.['cpu'])
  const negative = (value: bigint | undefined, path: string) =>
    when(value !== undefined && value < 0n, () => invalid(path, `${path}: must be greater than or equal to 0.`))
  return [
    ...negative(request, requestField),
    ...negative(limit, limitField),
    ...when(request !== undefined && limit !== undefined && limit > 0n && request > limit, () =>
      invalid(requestField, `${requestField} is greater than ${limitField}; raise the limit`),
    ),
  ]
}

const policies = ['force', 'require', 'optional', 'disable', 'forbid']

export const cpuFeaturePolicies: Rule = ({ spec: { domain }, field }) =>
  (domain.cpu?.features ?? []).flatMap(({ name, policy }, index) =>
    when(Boolean(policy) && !policies.includes(policy!), () =>
      notSupported(
        `${field}.domain.cpu.features[${index}].policy`,
        `CPU feature ${name} uses policy ${policy} that is not supported; ${oneOf(policies)}`,
      ),
    ),
  )

export const cpuSockets: Rule = ({ spec: { domain }, field }) => {
  const { sockets = 0, maxSockets = 0 } = domain.cpu ?? {}
  return when(maxSockets !== 0 && sockets > maxSockets, () =>
    invalid(
      `${field}.domain.cpu.sockets`,
      `Number of sockets in CPU topology (${sockets}) is greater than the maximum sockets allowed (${maxSockets})`,
    ),
  )
}

export const isolatedEmulatorThread: Rule = ({ spec: { domain }, field }) =>
  when(Boolean(domain.cpu?.isolateEmulatorThread) && !domain.cpu?.dedicatedCpuPlacement, () =>
    invalid(
      `${field}.domain.cpu.isolateEmulatorThread`,
      'IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement',
    ),
  )

const maxThreads = 2

/** CPUs, with a part of one counted as one. */
const whole = (value: bigint) => (value + 999n) / 1000n

/** CPUs of its own need counts that a node can hand out whole, and guaranteed resources. */
export const dedicatedCpus: Rule = ({ spec: { domain, architecture }, field }) => {
  const cpu = domain.cpu
  if (!cpu?.dedicatedCpuPlacement) return []
  const resources = `${field}.domain.resources`
  const placement = `${field}.domain.cpu.dedicatedCpuPlacement`
  const request = milli(domain.resources?.requests?.['cpu'])
  const limit = milli(domain.resources?.limits?.['cpu'])
  const memoryRequest = bytes(domain.resources?.requests?.['memory'])
  const memoryLimit = bytes(domain.resources?.limits?.['memory'])
  const guest = bytes(domain.memory?.guest)
  const vcpus = BigInt((cpu.cores || 1) * (cpu.sockets || 1) * (cpu.threads || 1))
  const fractional = (value: bigint | undefined) => value !== undefined && value % 1000n !== 0n
  const causes: Cause[] = []
  const differ = (a: bigint | undefined, b: bigint | undefined) => a !== undefined && b !== undefined && a !== b
  if (memoryRequest === undefined && memoryLimit === undefined && guest === undefined && !domain.memory?.hugepages) {
    causes.push(invalid(`${resources}.limits.memory`, `${resources}.limits.memory should be provided`))
  }
  if (fractional(request)) {
    causes.push(
      invalid(`${resources}.requests.cpu`, 'provided resources CPU requests must be an interger with dedicated CPUs'),
    )
  }
  if (fractional(limit)) {
    causes.push(
      invalid(`${resources}.limits.cpu`, 'provided resources CPU limits must be an interger with dedicated CPUs'),
    )
  }
  if (differ(memoryRequest, memoryLimit)) {
    causes.push(
      invalid(`${resources}.requests.memory`, `${resources}.requests.memory must equal to ${resources}.limits.memory`),
    )
  }
  if (request !== undefined && limit !== undefined && whole(request) !== whole(limit)) {
    causes.push(
      invalid(
        placement,
        `${resources}.requests.cpu or ${resources}.limits.cpu must be equal when DedicatedCPUPlacement is true`,
      ),
    )
  }
  if (request === undefined && limit === undefined && !cpu.cores && !cpu.sockets && !cpu.threads) {
    causes.push(
      invalid(placement, 'either requests.cpu, limits.cpu or cores must be provided with DedicatedCPUPlacement'),
    )
  }
  const given = [request, limit].filter((value) => value !== undefined && value > 0n).map((value) => whole(value!))
  if (given.length > 0 && (cpu.cores || cpu.sockets || cpu.threads) && !given.includes(vcpus)) {
    causes.push(
      invalid(
        placement,
        `the number of vCPUs (${vcpus}) must equal requests.cpu or limits.cpu with DedicatedCPUPlacement`,
      ),
    )
  }
  if (architecture === 'arm64' && (cpu.threads ?? 1) > 1) {
    causes.push(
      invalid(`${field}.architecture`, 'threads must not be greater than 1 when the architecture is arm64; use cores'),
    )
  }
  if ((cpu.threads ?? 1) > maxThreads) {
    causes.push(
      invalid(placement, `Not more than ${maxThreads} threads must be provided with DedicatedCPUPlacement; use cores`),
    )
  }
  return causes
}

export const numa: Rule = ({ spec: { domain }, field }) => {
  if (!domain.cpu?.numa?.guestMappingPassthrough) return []
  const path = `${field}.domain.cpu.numa.guestMappingPassthrough`
  return [
    ...when(!domain.cpu.dedicatedCpuPlacement, () =>
      invalid(path, `${path} must be used together with dedicatedCpuPlacement`),
    ),
    ...when(!domain.memory?.hugepages, () =>
      invalid(path, `${path} requires hugepages; set memory.hugepages.pageSize`),
    ),
  ]
}

export const realtime: Rule = ({ spec: { domain }, field }) => {
  if (!domain.cpu?.realtime) return []
  const cpu = `${field}.domain.cpu`
  return [
    ...when(!domain.cpu.dedicatedCpuPlacement, () =>
      required(
        `${cpu}.dedicatedCpuPlacement`,
        `${cpu}.dedicatedCpuPlacement must be set to true when ${cpu}.realtime is used`,
      ),
    ),
    ...when(!domain.cpu.numa?.guestMappingPassthrough, () =>
      required(
        `${cpu}.numa.guestMappingPassthrough`,
        `${cpu}.numa.guestMappingPassthrough must be defined when ${cpu}.realtime is used`,
      ),
    ),
  ]
}
