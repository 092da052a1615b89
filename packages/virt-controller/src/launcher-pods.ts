import { randomInt } from 'node:crypto'
import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { keyFor } from '@kubevirt-ts/controller'
import type { ClusterConfig } from '@kubevirt-ts/virt-config'
import { machineArchitecture } from './architecture.ts'
import type { Informers } from './informers.ts'
import type { Options } from './options.ts'
import { renderLaunchPod, skipsBackupHooks, stateClaimOf } from './services/template/index.ts'
import type { LauncherSettings } from './services/template/index.ts'

/** Launchers whose time-outs are spread over this many seconds do not give up together. */
const timeoutSpreadSeconds = 120

/** Renders launcher pods with what the caches and the KubeVirt resource say at the moment. */
export function createRenderer(parts: {
  readonly informers: Pick<Informers, 'claims' | 'namespaces' | 'networks' | 'quotas'>
  readonly config: ClusterConfig
  readonly options: Options
}): (vmi: VirtualMachineInstance) => Pod {
  const { config, informers, options } = parts
  const settings = launcherSettings(options)
  const claimsIn = (namespace: string) =>
    informers.claims.list().filter(({ metadata }) => metadata.namespace === namespace)
  return (vmi) => {
    const namespace = vmi.metadata.namespace ?? 'default'
    return renderLaunchPod(vmi, {
      ...settings,
      configuration: config.configuration(),
      clusterArchitecture: config.kubeVirt()?.status?.defaultArchitecture ?? machineArchitecture(),
      qemuTimeoutSeconds: options.launcherQemuTimeout + randomInt(timeoutSpreadSeconds),
      skipBackupHooks: skipsBackupHooks(config.kubeVirt()),
      claim: (name) => informers.claims.get(keyFor(namespace, name)),
      stateClaim: (name) => stateClaimOf(name, claimsIn(namespace)),
      namespaceLabels: informers.namespaces.get(namespace)?.metadata.labels ?? {},
      resourceQuotas: informers.quotas.byIndex('byNamespace', namespace),
      networkAnnotations: (where, name) => informers.networks.get(keyFor(where, name))?.metadata.annotations,
    })
  }
}

/** Images and folders of launcher pods, as the flags say. */
export function launcherSettings(options: Options): LauncherSettings {
  return {
    launcherImage: options.launcherImage,
    sidecarShimImage: options.sidecarShimImage,
    ...(options.imagePullSecret ? { imagePullSecret: options.imagePullSecret } : {}),
    shareDir: options.shareDir,
    ephemeralDiskDir: options.ephemeralDiskDir,
    containerDiskDir: options.containerDiskDir,
    hotplugDiskDir: options.hotplugDiskDir,
    launcherSubGid: options.launcherSubGid,
  }
}
