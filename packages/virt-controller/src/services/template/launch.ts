import type {
  KubeVirtConfiguration,
  PersistentVolumeClaim,
  ResourceQuota,
  VirtualMachineInstance,
} from '@kubevirt-ts/api'
import { isGateEnabled } from '@kubevirt-ts/virt-config'
import type { FeatureGateName } from '@kubevirt-ts/virt-config'
import { hasDedicatedCpus, isGuaranteed } from '@kubevirt-ts/vmispec'

/** Images and folders that the whole process shares. */
export interface LauncherSettings {
  readonly launcherImage: string
  readonly sidecarShimImage: string
  /** Pull secret for the launcher image. */
  readonly imagePullSecret?: string
  readonly shareDir: string
  readonly ephemeralDiskDir: string
  readonly containerDiskDir: string
  readonly hotplugDiskDir: string
  readonly launcherSubGid: number
}

/** What rendering looks up: nothing in here is changed, and the same answers give the same pod. */
export interface TemplateContext extends LauncherSettings {
  /** Merged over the defaults. */
  readonly configuration: KubeVirtConfiguration
  /** Architecture of a VMI that names none. */
  readonly clusterArchitecture: string
  /** How long the launcher waits for QEMU to appear; spread at random by the caller, so that pods do not time out together. */
  readonly qemuTimeoutSeconds: number
  /** No guest of the cluster is to be frozen for its backup. */
  readonly skipBackupHooks?: boolean
  /** Claims in the VMI's namespace. */
  readonly claim: (name: string) => PersistentVolumeClaim | undefined
  /** The claim in the VMI's namespace that keeps the state of the guest of this name. */
  readonly stateClaim: (vmiName: string) => PersistentVolumeClaim | undefined
  readonly namespaceLabels: Readonly<Record<string, string>>
  /** Quotas in the VMI's namespace. */
  readonly resourceQuotas: readonly ResourceQuota[]
  /** Annotations of a network attachment definition, where it exists. */
  readonly networkAnnotations: (namespace: string, name: string) => Readonly<Record<string, string>> | undefined
}

/**
 * How disk images come into the pod. `imageVolume`: the kubelet mounts them. `classic`: containers whose program an
 * init container copies in. `direct`: containers whose program the node agent's device plugin mounts.
 */
export type ContainerDiskForm = 'imageVolume' | 'classic' | 'direct'

/** One rendering: the VMI, the context and what several renderers derive from them. */
export interface Launch {
  readonly vmi: VirtualMachineInstance
  readonly context: TemplateContext
  readonly architecture: string
  readonly containerDisks: ContainerDiskForm
  readonly nonRoot: boolean
  /** The pod asks for exactly what it may use, so its small containers must do so too. */
  readonly exactResources: boolean
  readonly isEnabled: (gate: FeatureGateName) => boolean
}

export function launchOf(vmi: VirtualMachineInstance, context: TemplateContext): Launch {
  const isEnabled = (gate: FeatureGateName): boolean => isGateEnabled(context.configuration, gate)
  return {
    vmi,
    context,
    architecture: vmi.spec.architecture || context.clusterArchitecture,
    containerDisks: containerDiskForm(isEnabled),
    nonRoot: vmi.status?.runtimeUser === undefined ? !isEnabled('Root') : vmi.status.runtimeUser !== 0,
    exactResources: hasDedicatedCpus(vmi.spec) || isGuaranteed(vmi.spec),
    isEnabled,
  }
}

function containerDiskForm(isEnabled: (gate: FeatureGateName) => boolean): ContainerDiskForm {
  if (isEnabled('DirectContainerDisk')) return 'direct'
  return isEnabled('ImageVolume') ? 'imageVolume' : 'classic'
}
