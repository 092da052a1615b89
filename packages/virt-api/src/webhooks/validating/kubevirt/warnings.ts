import { isDeepStrictEqual } from 'node:util'
import type { KubeVirt } from '@kubevirt-ts/api'
import { featureGates, isKnownGate } from '@kubevirt-ts/virt-config'
import type { GateState } from '@kubevirt-ts/virt-config'

/** What is stored all the same, and does nothing or will be gone. */
export const kubeVirtWarnings = (given: KubeVirt, old: KubeVirt | undefined): string[] => [
  ...(isDeepStrictEqual(enabledGates(given), old && enabledGates(old)) ? [] : gateWarnings(given)),
  ...deviceWarnings(given),
]

const enabledGates = ({ spec }: KubeVirt): readonly string[] =>
  spec.configuration?.developerConfiguration?.featureGates ?? []

const advice: Partial<Record<GateState, string>> = {
  GA: 'is always on: remove it from the list',
  Deprecated: 'is deprecated and will be removed',
  Discontinued: 'is discontinued: VMs that need it are refused',
}

const gateWarnings = (given: KubeVirt): string[] =>
  enabledGates(given).flatMap((gate) => {
    if (!isKnownGate(gate)) return [`there is no feature gate ${gate}: it does nothing`]
    const said = advice[featureGates[gate]]
    return said ? [`feature gate ${gate} ${said}`] : []
  })

const deviceField = 'spec.configuration.mediatedDevicesConfiguration'

/** The spelling of before v1.0. */
function deviceWarnings({ spec }: KubeVirt): string[] {
  const { mediatedDevicesTypes, nodeMediatedDeviceTypes = [] } = spec.configuration?.mediatedDevicesConfiguration ?? {}
  const old = [
    ...((mediatedDevicesTypes ?? []).length > 0 ? [`${deviceField}.mediatedDevicesTypes`] : []),
    ...nodeMediatedDeviceTypes.flatMap((each, index) =>
      (each.mediatedDevicesTypes ?? []).length > 0
        ? [`${deviceField}.nodeMediatedDeviceTypes[${index}].mediatedDevicesTypes`]
        : [],
    ),
  ]
  return old.map((name) => `${name} is deprecated, use mediatedDeviceTypes`)
}
