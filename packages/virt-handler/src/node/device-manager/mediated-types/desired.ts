import type { KubeVirtConfiguration } from '@kubevirt-ts/api'
import { mediatedTypeName } from '../permitted/mediated.ts'

export interface DesiredTypes {
  /** Types of which devices are made, by name or identifier, in the order of the KubeVirt resource. */
  readonly make: readonly string[]
  /** Types that are somebody else's: they are left alone. */
  readonly leave: readonly string[]
}

/**
 * Which types of mediated devices a node with these labels has; undefined where virt-handler makes and removes none.
 * The types of all selectors that match are made, those for every node only where none does.
 */
export function desiredTypes(
  { mediatedDevicesConfiguration: configured, permittedHostDevices }: KubeVirtConfiguration,
  labels: Readonly<Record<string, string>>,
): DesiredTypes | undefined {
  if (configured?.enabled === false) return undefined
  const matching = (configured?.nodeMediatedDeviceTypes ?? []).filter(({ nodeSelector }) =>
    Object.entries(nodeSelector).every(([name, value]) => labels[name] === value),
  )
  const types = matching.length > 0 ? matching.flatMap(typesOf) : typesOf(configured ?? {})
  const external = (permittedHostDevices?.mediatedDevices ?? []).filter(
    ({ externalResourceProvider }) => externalResourceProvider,
  )
  return {
    make: [...new Set(types.map(mediatedTypeName))],
    leave: external.map(({ mdevNameSelector }) => mediatedTypeName(mdevNameSelector)),
  }
}

interface TypeLists {
  readonly mediatedDeviceTypes?: readonly string[]
  readonly mediatedDevicesTypes?: readonly string[]
}

const typesOf = ({ mediatedDeviceTypes = [], mediatedDevicesTypes = [] }: TypeLists): readonly string[] =>
  mediatedDeviceTypes.length > 0 ? mediatedDeviceTypes : mediatedDevicesTypes
