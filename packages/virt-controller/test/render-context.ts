import type { KubeVirtConfiguration } from '@kubevirt-ts/api'
import { mergeConfiguration } from '@kubevirt-ts/virt-config'
import type { TemplateContext } from '../src/services/template/index.ts'

/** What a launcher pod is rendered with in an empty cluster whose KubeVirt resource says this. */
export function renderContext(configuration: KubeVirtConfiguration): TemplateContext {
  return {
    launcherImage: 'registry.example/virt-launcher:v1',
    sidecarShimImage: '',
    shareDir: '/var/run/kubevirt',
    ephemeralDiskDir: '/var/run/kubevirt-ephemeral-disks',
    containerDiskDir: '/var/run/kubevirt/container-disks',
    hotplugDiskDir: '/var/run/kubevirt/hotplug-disks',
    launcherSubGid: 107,
    clusterArchitecture: 'amd64',
    qemuTimeoutSeconds: 240,
    configuration: mergeConfiguration(configuration),
    claim: () => undefined,
    stateClaim: () => undefined,
    namespaceLabels: {},
    resourceQuotas: [],
    networkAnnotations: () => undefined,
  }
}
