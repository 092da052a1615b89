import type { ContainerResources, KubeVirtConfiguration } from '@kubevirt-ts/api'
import type { Launch } from './launch.ts'

/** Kinds of containers beside compute whose resources the KubeVirt resource can set. */
export type HelperType = 'container-disk' | 'virtiofs' | 'sidecar' | 'guest-console-log' | 'hotplug-disk'

/**
 * Resources of a helper container: the defaults, single values replaced by the KubeVirt resource's. Where the pod
 * asks for exactly what it may use, requests follow the limits, or the pod would not be of class Guaranteed.
 */
export function helperResources(type: HelperType, defaults: ContainerResources, launch: Launch): ContainerResources {
  const { limits = {}, requests = {} } = configuredResources(type, defaults, launch.context.configuration)
  if (!launch.exactResources) return { limits, requests }
  return { limits, requests: { ...requests, ...pick(limits, 'cpu'), ...pick(limits, 'memory') } }
}

/** The defaults, single values replaced by the KubeVirt resource's. */
export function configuredResources(
  type: HelperType,
  defaults: ContainerResources,
  { supportContainerResources }: KubeVirtConfiguration,
): ContainerResources {
  const set = supportContainerResources?.find((each) => each.type === type)?.resources
  return { limits: { ...defaults.limits, ...set?.limits }, requests: { ...defaults.requests, ...set?.requests } }
}

function pick(
  values: NonNullable<ContainerResources['limits']>,
  key: string,
): NonNullable<ContainerResources['limits']> {
  const value = values[key]
  return value === undefined ? {} : { [key]: value }
}
