import { annotation, label, pods } from '@kubevirt-ts/api'
import type {
  Affinity,
  Container,
  KubeVirtConfiguration,
  PersistentVolumeClaim,
  Pod,
  SecurityContext,
  Toleration,
  VirtualMachineInstance,
} from '@kubevirt-ts/api'
import { ownerReferenceTo } from '@kubevirt-ts/controller/owner'
import type { HotplugVolume } from '@kubevirt-ts/vmispec'
import { configuredResources } from './helper-resources.ts'
import type { LauncherSettings } from './launch.ts'
import { launcherUser } from './security.ts'

/** What a pod beside a launcher is made of. */
export interface Attachment {
  /** Name of the new pod. */
  readonly name: string
  readonly vmi: VirtualMachineInstance
  /** The launcher pod, whole. */
  readonly launcher: Pod
  /** Claims in the VMI's namespace. */
  readonly claim: (name: string) => PersistentVolumeClaim | undefined
  readonly settings: Pick<LauncherSettings, 'launcherImage' | 'imagePullSecret'>
  /** Merged over the defaults. */
  readonly configuration: KubeVirtConfiguration
}

/** Value of the component label of pods that hold volumes for a launcher. */
export const hotplugDisk = 'hotplug-disk'

const shared = 'hotplug-disks'
const hostname = 'kubernetes.io/hostname'

/**
 * The pod that makes the kubelet of the launcher's node mount volumes, which the node agent then passes on to the
 * launcher. Pure.
 */
export function attachmentPod(attachment: Attachment, volumes: readonly HotplugVolume[]): Pod {
  const { launcher, claim } = attachment
  const blocks = volumes.filter(({ claimName }) => isBlock(claim(claimName)))
  const files = volumes.filter((volume) => !blocks.includes(volume))
  return pod(attachment, volumes, {
    affinity: onNode(launcher.spec.nodeName ?? ''),
    container: {
      command: ['/bin/sh', '-c', '/usr/bin/container-disk --copy-path /path/hp'],
      securityContext: securityContext(attachment, launcherUser),
      volumeMounts: [
        { name: shared, mountPath: '/path', mountPropagation: 'HostToContainer' },
        ...files.map(({ name }) => ({ name, mountPath: `/${name}` })),
      ],
      ...(blocks.length === 0
        ? {}
        : {
            volumeDevices: blocks.map(({ name, claimName }) => ({
              name,
              devicePath: `/path/${name}/${claim(claimName)?.metadata.uid}`,
            })),
          }),
    },
  })
}

/** The pod whose only task is to be the first consumer that a claim waits for, near the launcher. Pure. */
export function triggerPod(attachment: Attachment, volume: HotplugVolume): Pod {
  const { launcher, claim } = attachment
  const { name } = volume
  const block = isBlock(claim(volume.claimName))
  const rendered = pod(attachment, [volume], {
    affinity: besideLauncher(launcher),
    container: {
      command: ['/bin/bash', '-c', 'exit', '0'],
      // A device that is not there yet belongs to root.
      securityContext: securityContext(attachment, block ? 0 : launcherUser),
      volumeMounts: [
        { name: shared, mountPath: '/path', mountPropagation: 'HostToContainer' },
        ...(block ? [] : [{ name, mountPath: '/pvc' }]),
      ],
      ...(block ? { volumeDevices: [{ name, devicePath: '/dev/hotplugblockdevice' }] } : {}),
    },
  })
  const annotations = { ...rendered.metadata.annotations, [annotation.ephemeralProvisioning]: 'true' }
  const spec = { ...rendered.spec, restartPolicy: 'Never' }
  return { ...rendered, metadata: { ...rendered.metadata, annotations }, spec }
}

const isBlock = (claim: PersistentVolumeClaim | undefined): boolean => claim?.spec?.volumeMode === 'Block'

interface Parts {
  readonly affinity: Affinity
  readonly container: Omit<Container, 'name'>
}

function pod(
  { name, vmi, launcher, settings, configuration }: Attachment,
  volumes: readonly HotplugVolume[],
  { affinity, container }: Parts,
): Pod {
  const { imagePullSecret, launcherImage } = settings
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: vmi.metadata.namespace,
      labels: { [label.app]: hotplugDisk },
      annotations: {
        [annotation.ownerVmiName]: vmi.metadata.name,
        [annotation.ownerVmiUid]: vmi.metadata.uid ?? '',
      },
      ownerReferences: [ownerReferenceTo(launcher, pods)],
    },
    spec: {
      affinity,
      containers: [
        {
          name: hotplugDisk,
          image: launcherImage,
          ...(configuration.imagePullPolicy === undefined ? {} : { imagePullPolicy: configuration.imagePullPolicy }),
          resources: configuredResources(hotplugDisk, defaultResources, configuration),
          ...container,
        },
      ],
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...(imagePullSecret === undefined ? {} : { imagePullSecrets: [{ name: imagePullSecret }] }),
      terminationGracePeriodSeconds: 0,
      tolerations: [...passingTaints, ...(launcher.spec.tolerations ?? [])],
      volumes: [
        { name: shared, emptyDir: {} },
        ...volumes.map((each) => ({ name: each.name, persistentVolumeClaim: { claimName: each.claimName } })),
      ],
    },
  }
}

const defaultResources = { requests: { cpu: '10m', memory: '2M' }, limits: { cpu: '100m', memory: '80M' } }

/** Taints that a node has for a while: a volume of a guest that runs there must come all the same. */
const passingTaints: readonly Toleration[] = [
  'node.kubernetes.io/unschedulable',
  'node.kubernetes.io/network-unavailable',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/memory-pressure',
  'node.kubernetes.io/pid-pressure',
].map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }))

function onNode(node: string): Affinity {
  const term = { matchExpressions: [{ key: hostname, operator: 'In' as const, values: [node] }] }
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } }
}

function besideLauncher({ metadata }: Pod): Affinity {
  const term = { labelSelector: { matchLabels: metadata.labels ?? {} }, topologyKey: hostname }
  return { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
}

function securityContext({ vmi, configuration }: Attachment, user: number): SecurityContext {
  const { selinuxLauncherType } = configuration
  const level = selinuxLevel(vmi)
  const seLinuxOptions = { ...(level && { level }), ...(selinuxLauncherType && { type: selinuxLauncherType }) }
  return {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: user !== 0,
    runAsUser: user,
    seccompProfile: { type: 'RuntimeDefault' },
    ...(Object.keys(seLinuxOptions).length === 0 ? {} : { seLinuxOptions }),
  }
}

/** The launcher may only open what has its own level; a host without SELinux has one level for all. */
function selinuxLevel({ status }: VirtualMachineInstance): string | undefined {
  const context = status?.selinuxContext
  if (context === undefined) return undefined
  return context === 'none' ? 's0' : context.split(':').slice(3).join(':')
}
