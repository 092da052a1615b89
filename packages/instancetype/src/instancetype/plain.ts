import type { VirtualMachineInstancetypeSpec } from '@kubevirt-ts/api'
import type { Draft } from '../draft.ts'

const path = 'spec.template.spec'

/** Devices, threads, protection, placement and annotations: each is taken over as it is, or in conflict. */
export function applyPlain({ metadata, spec }: Draft, instancetype: VirtualMachineInstancetypeSpec): string[] {
  const { gpus, hostDevices, ioThreads, ioThreadsPolicy, launchSecurity, nodeSelector, schedulerName } = instancetype
  const { domain } = spec
  return [
    ...take(domain.devices, { gpus, hostDevices }, `${path}.domain.devices`),
    ...take(domain, { ioThreads, ioThreadsPolicy, launchSecurity }, `${path}.domain`),
    ...take(spec, { nodeSelector, schedulerName }, path),
    ...annotate(metadata, instancetype.annotations),
  ]
}

function take<T extends object>(target: T, values: Partial<T>, at: string): string[] {
  const given = Object.entries(values).filter(([, value]) => !isEmpty(value)) as [keyof T & string, unknown][]
  const taken = given.filter(([name]) => !isEmpty(target[name]))
  if (taken.length > 0) return taken.map(([name]) => `${at}.${name}`)
  Object.assign(target, structuredClone(Object.fromEntries(given)))
  return []
}

function annotate(metadata: Draft['metadata'], annotations: Readonly<Record<string, string>> = {}): string[] {
  const own = metadata.annotations ?? {}
  const taken = Object.entries(annotations).filter(([key, value]) => own[key] !== undefined && own[key] !== value)
  if (taken.length > 0) return taken.map(([key]) => `spec.template.metadata.annotations.${key}`)
  if (Object.keys(annotations).length > 0) metadata.annotations = { ...own, ...annotations }
  return []
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}
