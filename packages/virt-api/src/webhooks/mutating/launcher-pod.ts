import { annotation, label, virtualMachineInstances } from '@kubevirt-ts/api'
import type { Container, ContainerResources, Pod, VirtualMachineInstance, Volume, VolumeMount } from '@kubevirt-ts/api'
import { found } from '../referenced.ts'
import type { Admitter, JsonPatchStep } from '../admitter.ts'
import { isRecordIdle } from './field-owners.ts'
import type { Settings } from '../settings.ts'

const socketVolume: VolumeMount = {
  name: 'virtiofs-containers',
  mountPath: '/var/run/kubevirt/virtiofs-containers',
}

const defaultResources = { requests: { cpu: '10m', memory: '1M' }, limits: { cpu: '100m', memory: '80M' } }

/**
 * Takes the record of writers off a launcher pod, of which kubelet and virt-controller write the status, and gives it the
 * virtiofs containers that virt-controller could not make: those for paths of the compute container that other webhooks
 * mount there, such as certificates or tokens. It is asked again when they come later.
 */
export const mutateLauncherPod: Admitter = async ({ object, namespace = '' }, { client, settings }) => {
  const pod = object as Pod
  const name = pod.metadata.annotations?.[annotation.domain]
  if (pod.metadata.labels?.[label.app] !== 'virt-launcher' || !name) return {}
  const patch: JsonPatchStep[] = isRecordIdle(pod) ? [{ op: 'remove', path: '/metadata/managedFields' }] : []
  if (!settings.isEnabled('ContainerPathVolumes')) return { patch }
  const vmi = await found(client.get(virtualMachineInstances, { namespace, name }))
  const added = vmi ? missingContainers(pod, vmi, settings) : []
  return { patch: [...patch, ...added.map((value) => ({ op: 'add', path: '/spec/containers/-', value }) as const)] }
}

/** The containers that share a path of compute with the guest and are not in the pod, where the path is mounted. */
export function missingContainers(pod: Pod, { spec }: VirtualMachineInstance, settings: Settings): Container[] {
  const containers = pod.spec?.containers ?? []
  const compute = containers.find(({ name }) => name === 'compute')
  const shared = new Set(spec.domain.devices.filesystems?.map(({ name }) => name))
  if (!compute) return []
  return (spec.volumes ?? [])
    .filter(({ name }) => shared.has(name) && !containers.some((each) => each.name === `virtiofs-${name}`))
    .flatMap((volume) => containerFor(volume, compute, resources(settings)))
}

function containerFor({ name, containerPath }: Volume, compute: Container, resources: ContainerResources): Container[] {
  const mount = containerPath && mountOf(containerPath.path, compute.volumeMounts ?? [])
  if (!containerPath || !mount) return []
  const { securityContext, image, imagePullPolicy } = compute
  return [
    {
      name: `virtiofs-${name}`,
      image: image!,
      ...(imagePullPolicy && { imagePullPolicy }),
      command: ['/usr/libexec/virtiofsd'],
      args: [
        `--socket-path=${socketVolume.mountPath}/${name}.sock`,
        `--shared-dir=${containerPath.path}`,
        '--sandbox=none',
        '--cache=auto',
        '--migration-on-error=guest-error',
        '--migration-mode=find-paths',
        ...(containerPath.readOnly === false ? [] : ['--readonly']),
      ],
      resources,
      securityContext: {
        runAsUser: securityContext?.runAsUser ?? 107,
        runAsGroup: securityContext?.runAsGroup ?? 107,
        runAsNonRoot: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      },
      volumeMounts: [socketVolume, { ...mount, readOnly: containerPath.readOnly !== false }],
    },
  ]
}

/** The mount that a path lies in: the deepest. */
function mountOf(path: string, mounts: readonly VolumeMount[]): VolumeMount | undefined {
  const within = mounts.filter(
    ({ mountPath }) => path === mountPath || path.startsWith(`${mountPath.replace(/\/$/, '')}/`),
  )
  return within.toSorted((a, b) => b.mountPath.length - a.mountPath.length)[0]
}

function resources({ configuration }: Settings): ContainerResources {
  const set = configuration.supportContainerResources?.find(({ type }) => type === 'virtiofs')?.resources
  return {
    requests: { ...defaultResources.requests, ...set?.requests },
    limits: { ...defaultResources.limits, ...set?.limits },
  }
}
