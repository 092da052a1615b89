import type { Container, VolumeMount } from '@kubevirt-ts/api'
import { addVolume } from './draft.ts'
import type { Draft } from './draft.ts'
import { helperResources } from './helper-resources.ts'
import { hookSidecars } from './hook-sidecars.ts'
import type { HookSidecar } from './hook-sidecars.ts'
import type { Launch } from './launch.ts'
import { networkInfoMount } from './network.ts'
import { launcherSecurityContext, nonRootEnvironment } from './security.ts'

const socketDir = '/var/run/kubevirt-hooks'
const socketVolume = 'hook-sidecar-sockets'

/** Containers that are asked before the guest is defined; they meet the launcher in a folder of sockets. */
export function sidecars(draft: Draft, launch: Launch): void {
  const wanted = hookSidecars(launch)
  if (wanted.length === 0) return
  addVolume(draft, { name: socketVolume, emptyDir: {} })
  draft.compute.volumeMounts.push({ name: socketVolume, mountPath: socketDir })
  wanted.forEach((sidecar, index) => {
    const name = `hook-sidecar-${index}`
    const mounts = [{ name: socketVolume, mountPath: socketDir, subPath: name }, ...sourceMounts(draft, sidecar)]
    draft.containers.push(sidecarContainer(name, sidecar, mounts, launch))
  })
}

/** The sidecar's script and its claim; the claim can be shared with compute. */
function sourceMounts(draft: Draft, { configMap, downwardAPI, pvc }: HookSidecar): VolumeMount[] {
  const mounts: VolumeMount[] = downwardAPI === 'device-info' ? [{ ...networkInfoMount }] : []
  if (configMap !== undefined) {
    addVolume(draft, { name: configMap.name, configMap: { name: configMap.name, defaultMode: 0o755 } })
    mounts.push({ name: configMap.name, mountPath: configMap.hookPath, subPath: configMap.key })
  }
  if (pvc !== undefined) {
    addVolume(draft, { name: pvc.name, persistentVolumeClaim: { claimName: pvc.name } })
    mounts.push({ name: pvc.name, mountPath: pvc.volumePath })
    if (pvc.sharedComputePath) draft.compute.volumeMounts.push({ name: pvc.name, mountPath: pvc.sharedComputePath })
  }
  return mounts
}

function sidecarContainer(name: string, sidecar: HookSidecar, volumeMounts: VolumeMount[], launch: Launch): Container {
  const exact = { requests: { cpu: '200m', memory: '64M' }, limits: { cpu: '200m', memory: '64M' } }
  const plugin = sidecar.bindingPlugin
  return {
    name,
    image: sidecar.image || launch.context.sidecarShimImage,
    ...(sidecar.imagePullPolicy ? { imagePullPolicy: sidecar.imagePullPolicy } : {}),
    ...(sidecar.command ? { command: [...sidecar.command] } : {}),
    ...(sidecar.args ? { args: [...sidecar.args] } : {}),
    env: [
      ...nonRootEnvironment(launch),
      ...(plugin === undefined ? [] : [{ name: 'NETWORK_BINDING_PLUGIN_NAME', value: plugin }]),
      { name: 'CONTAINER_NAME', value: name },
    ],
    resources: helperResources('sidecar', launch.exactResources ? exact : {}, launch),
    securityContext: launcherSecurityContext(launch),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts,
  }
}
