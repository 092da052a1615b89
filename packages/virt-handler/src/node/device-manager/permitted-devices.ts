import { nodes } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import type { ClusterConfig } from '@kubevirt-ts/virt-config'
import { lookAgain } from '../look-again.ts'
import { gatedDeviceNodes } from './device-nodes.ts'
import type { DeviceManager } from './index.ts'
import { configureMediatedTypes, type MediatedTypesDeps } from './mediated-types/configure.ts'
import { desiredTypes } from './mediated-types/desired.ts'
import { hostDevices, permittedDevices } from './permitted/index.ts'

export interface PermittedDevicesDeps extends MediatedTypesDeps {
  readonly client: KubeClient
  readonly node: string
  readonly clusterConfig: ClusterConfig
  readonly manager: Pick<DeviceManager, 'offer'>
  /** Where the files of the host are seen, also those that come later. */
  readonly hostRoot: string
  readonly maxDevices: number
  readonly log: Logger
}

/** Nothing tells that a device was plugged in or has another driver. */
const rescanMs = 10_000
/** Nodes are asked for their labels then. */
const typesEvery = 6

/**
 * Keeps what this node offers as the KubeVirt resource and its hardware say: at each change of the former, and by
 * looking again for the latter. Ends with the signal.
 */
export function keepPermittedDevices(deps: PermittedDevicesDeps, signal: AbortSignal): Promise<void> {
  const told = new Set<string>()
  let looks = 0
  const look = async (isChanged: boolean): Promise<number> => {
    if (isChanged) looks = 0
    await refresh(deps, { withTypes: looks++ % typesEvery === 0, told })
    return rescanMs
  }
  const failure = 'the devices of this node could not be looked up; trying again'
  return lookAgain(deps, { look, retryMs: rescanMs, failure }, signal)
}

interface Look {
  readonly withTypes: boolean
  /** Problems that are in the log already. */
  readonly told: Set<string>
}

async function refresh(deps: PermittedDevicesDeps, { withTypes, told }: Look): Promise<void> {
  const { clusterConfig, manager, hostRoot, maxDevices, log } = deps
  const configuration = clusterConfig.configuration()
  const isEnabled = clusterConfig.isEnabled.bind(clusterConfig)
  if (withTypes && !isEnabled('DisableMDEVConfiguration')) {
    const byNode = (configuration.mediatedDevicesConfiguration?.nodeMediatedDeviceTypes ?? []).length > 0
    const desired = desiredTypes(configuration, byNode ? await labelsOf(deps) : {})
    if (desired !== undefined) await configureMediatedTypes(desired, deps)
  }
  const permitted = configuration.permittedHostDevices ?? {}
  const { devices, problems } = permittedDevices(permitted, await hostDevices(deps.sysfs, permitted), hostRoot)
  for (const problem of problems.filter((each) => !told.has(each))) {
    told.add(problem)
    log.warn({ problem }, 'a permitted host device cannot be offered')
  }
  manager.offer([...gatedDeviceNodes(hostRoot, isEnabled, maxDevices), ...devices])
}

async function labelsOf({ client, node }: PermittedDevicesDeps): Promise<Record<string, string>> {
  return (await client.get(nodes, { name: node })).metadata.labels ?? {}
}
