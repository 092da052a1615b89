import type { Container, Volume, VolumeMount } from '@kubevirt-ts/api'
import { addVolume } from './draft.ts'
import type { Draft } from './draft.ts'
import { helperResources } from './helper-resources.ts'
import type { Launch } from './launch.ts'
import { launcherSecurityContext } from './security.ts'

const socketDir = '/var/run/kubevirt/virtiofs-containers'
const socketVolume = { name: 'virtiofs-containers', mountPath: socketDir }

/** A virtiofsd per folder that is shared with the guest, each in a container of its own. */
export function filesystems(draft: Draft, launch: Launch): void {
  const shared = new Set(launch.vmi.spec.domain.devices.filesystems?.map(({ name }) => name))
  if (shared.size === 0) return
  addVolume(draft, { name: socketVolume.name, emptyDir: {} })
  draft.compute.volumeMounts.push(socketVolume)
  for (const volume of launch.vmi.spec.volumes ?? []) {
    const folder = shared.has(volume.name) ? sharedFolder(volume) : undefined
    if (folder !== undefined) draft.containers.push(virtiofsContainer(volume.name, folder, launch))
  }
}

interface SharedFolder {
  readonly path: string
  readonly mount?: VolumeMount
  readonly extraArguments?: readonly string[]
}

/** Where the files of a volume are in the virtiofs container; a container path is added by the pod webhook. */
function sharedFolder(volume: Volume): SharedFolder | undefined {
  const mounted = (path: string): SharedFolder => ({ path, mount: { name: volume.name, mountPath: path } })
  if (volume.configMap !== undefined) return mounted(`/var/run/kubevirt-private/config-map/${volume.name}`)
  if (volume.secret !== undefined) return mounted(`/var/run/kubevirt-private/secret/${volume.name}`)
  if (volume.downwardAPI !== undefined) return mounted(`/var/run/kubevirt-private/downwardapi/${volume.name}`)
  if (volume.persistentVolumeClaim !== undefined || volume.dataVolume !== undefined) return mounted(`/${volume.name}`)
  if (volume.serviceAccount === undefined) return undefined
  // The kubelet mounts the token itself, readable by root alone: the guest's root gets it.
  return { path: '/var/run/secrets/kubernetes.io/serviceaccount/', extraArguments: ['--translate-uid=host:107:0:1'] }
}

function virtiofsContainer(
  name: string,
  { path, mount, extraArguments = [] }: SharedFolder,
  launch: Launch,
): Container {
  const { launcherImage, configuration } = launch.context
  const defaults = { requests: { cpu: '10m', memory: '1M' }, limits: { cpu: '100m', memory: '80M' } }
  return {
    name: `virtiofs-${name}`,
    image: launcherImage,
    imagePullPolicy: configuration.imagePullPolicy,
    command: ['/usr/libexec/virtiofsd'],
    args: [
      `--socket-path=${socketDir}/${name}.sock`,
      `--shared-dir=${path}`,
      '--sandbox=none',
      '--cache=auto',
      '--migration-on-error=guest-error',
      '--migration-mode=find-paths',
      ...extraArguments,
    ],
    resources: helperResources('virtiofs', defaults, launch),
    securityContext: launcherSecurityContext({ nonRoot: true }),
    volumeMounts: [socketVolume, ...(mount === undefined ? [] : [mount])],
  }
}
