import {
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
  virtualMachineInstancetypes,
  virtualMachinePreferences,
} from '@kubevirt-ts/api'
import type {
  InstancetypeMatcher,
  KubeObject,
  PreferenceMatcher,
  ResourceType,
  VirtualMachine,
  VirtualMachineInstancetypeSpec,
  VirtualMachinePreferenceSpec,
} from '@kubevirt-ts/api'
import { isForbidden, isNotFound } from '@kubevirt-ts/kubecli/api-error'
import type { KubeClient } from '@kubevirt-ts/kubecli'

/** Other objects that a VM names and that admission looks at; absent when there is none, or it is not there (yet). */
export interface Referenced {
  readonly instancetype?: VirtualMachineInstancetypeSpec
  readonly preference?: VirtualMachinePreferenceSpec
  /** Architecture of the image that a disk is made from. */
  readonly imageArchitecture?: string
}

/** CDI's kind, which may not be installed. */
const dataSources: ResourceType<KubeObject> = {
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  plural: 'datasources',
  kind: 'DataSource',
  namespaced: true,
}

export const imageArchitectureLabel = 'template.kubevirt.io/architecture'

/** Reads what the VM names; asks nothing for a VM that names nothing. */
export async function findReferenced(vm: VirtualMachine, namespace: string, client: KubeClient): Promise<Referenced> {
  const [instancetype, preference, image] = await Promise.all([
    findInstancetype(vm.spec.instancetype, namespace, client),
    findPreference(vm.spec.preference, namespace, client),
    findImage(vm, namespace, client),
  ])
  const imageArchitecture = image?.metadata.labels?.[imageArchitectureLabel]
  return {
    ...(instancetype && { instancetype: instancetype.spec }),
    ...(preference && { preference: preference.spec }),
    ...(imageArchitecture && { imageArchitecture }),
  }
}

async function findInstancetype(matcher: InstancetypeMatcher | undefined, namespace: string, client: KubeClient) {
  const name = matcher?.name
  if (!name) return undefined
  return isNamespaced(matcher)
    ? found(client.get(virtualMachineInstancetypes, { namespace, name }))
    : found(client.get(virtualMachineClusterInstancetypes, { name }))
}

async function findPreference(matcher: PreferenceMatcher | undefined, namespace: string, client: KubeClient) {
  const name = matcher?.name
  if (!name) return undefined
  return isNamespaced(matcher)
    ? found(client.get(virtualMachinePreferences, { namespace, name }))
    : found(client.get(virtualMachineClusterPreferences, { name }))
}

/** Kinds are written in any case; those of the cluster are the default. */
const isNamespaced = ({ kind }: { readonly kind?: string }) =>
  kind !== undefined && kind !== '' && !/cluster/i.test(kind)

async function findImage(vm: VirtualMachine, namespace: string, client: KubeClient): Promise<KubeObject | undefined> {
  const source = vm.spec.dataVolumeTemplates
    ?.map(({ spec }) => spec?.sourceRef)
    .find((each) => each?.kind === 'DataSource')
  if (!source?.name) return undefined
  return found(client.get(dataSources, { namespace: source.namespace ?? namespace, name: source.name }))
}

/** The answer; undefined where there is no such object, or it may not be seen, as where its kind is not installed. */
export async function found<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined
    throw error
  }
}
