import type { PodSpec } from '@kubevirt-ts/api'
import { hostname } from '@kubevirt-ts/vmispec'
import { graceSeconds } from './compute.ts'
import type { Draft } from './draft.ts'
import type { Launch } from './launch.ts'

/** Seconds that the pod gets on top of the guest's grace period before the kubelet kills it. */
const podGraceSeconds = 30

/** Fields of the pod that are fixed, or taken over from the VMI as they are. */
export function scheduling({ spec }: Draft, { vmi, context }: Launch): void {
  const account = serviceAccount(vmi)
  const carried = {
    schedulerName: vmi.spec.schedulerName,
    priorityClassName: vmi.spec.priorityClassName,
    tolerations: vmi.spec.tolerations,
    topologySpreadConstraints: vmi.spec.topologySpreadConstraints,
    dnsPolicy: vmi.spec.dnsPolicy,
    dnsConfig: vmi.spec.dnsConfig,
    subdomain: vmi.spec.subdomain,
    resourceClaims: vmi.spec.resourceClaims as PodSpec['resourceClaims'],
    runtimeClassName: context.configuration.defaultRuntimeClass || undefined,
    serviceAccountName: account.name,
  }
  Object.assign(
    spec,
    Object.fromEntries(Object.entries(carried).filter(([, value]) => value !== undefined && value !== '')),
    {
      hostname: hostname(vmi),
      restartPolicy: 'Never',
      enableServiceLinks: false,
      automountServiceAccountToken: account.mounted,
      terminationGracePeriodSeconds: graceSeconds({ vmi }) + podGraceSeconds,
      readinessGates: [{ conditionType: 'kubevirt.io/virtual-machine-unpaused' }],
    },
  )
}

/** A token is only mounted where the guest or the mesh's proxy uses it. */
function serviceAccount({ metadata, spec }: Launch['vmi']): { name: string | undefined; mounted: boolean } {
  const volume = spec.volumes?.find(({ serviceAccount }) => serviceAccount !== undefined)?.serviceAccount
  const istio = metadata.annotations?.['sidecar.istio.io/inject'] === 'true'
  return { name: spec.serviceAccountName || volume?.serviceAccountName, mounted: volume !== undefined || istio }
}
