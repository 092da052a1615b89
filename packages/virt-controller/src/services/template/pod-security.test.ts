import { expect, test } from '@jest/globals'
import type { Container, KubeVirtConfiguration, Pod, PodSpec } from '@kubevirt-ts/api'
import { vmi, withContainerDisk, withMemory, withUid } from '@kubevirt-ts/libvmi'
import { renderContext } from '../../../test/render-context.ts'
import { renderLaunchPod } from './index.ts'

type Gates = NonNullable<KubeVirtConfiguration['developerConfiguration']>

function podWith(gates: Gates): Pod {
  const guest = vmi(withUid('uid'), withMemory('64Mi'), withContainerDisk('root', 'registry.example/disk:1'))
  return renderLaunchPod(guest, renderContext({ developerConfiguration: { useEmulation: true, ...gates } }))
}

const allowedVolumes = ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim'].concat([
  'projected',
  'secret',
  'name',
])

/** What the profile "restricted" of Kubernetes' pod security standards finds wrong with a pod. */
function violations({ spec }: Pod): string[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers]
  return [...ofPod(spec), ...containers.flatMap((container) => ofContainer(container, spec))]
}

function ofPod(spec: PodSpec): string[] {
  const { hostNetwork, hostPID, hostIPC } = spec as unknown as Record<string, unknown>
  const { volumes = [], securityContext } = spec
  return [
    ...((hostNetwork ?? hostPID ?? hostIPC) ? ['a namespace of the host'] : []),
    ...volumes.flatMap((volume) => Object.keys(volume).filter((kind) => !allowedVolumes.includes(kind))),
    ...((securityContext as { sysctls?: unknown[] } | undefined)?.sysctls?.length ? ['sysctls'] : []),
  ]
}

function ofContainer({ name, securityContext, ports = [] }: Container, { securityContext: pod }: PodSpec): string[] {
  const own = (securityContext ?? {}) as Record<string, unknown>
  const both = { ...(pod as Record<string, unknown>), ...own }
  const { add = [], drop = [] } = (own['capabilities'] ?? {}) as { add?: string[]; drop?: string[] }
  const seccomp = (both['seccompProfile'] as { type?: string } | undefined)?.type
  const wrong = {
    privileged: own['privileged'] === true,
    'allows privilege escalation': own['allowPrivilegeEscalation'] !== false,
    'keeps capabilities': !drop.includes('ALL'),
    'adds capabilities': add.some((capability) => capability !== 'NET_BIND_SERVICE'),
    'may be root': both['runAsNonRoot'] !== true || both['runAsUser'] === 0,
    'has no seccomp profile': seccomp !== 'RuntimeDefault' && seccomp !== 'Localhost',
    'takes a port of the host': ports.some((port) => 'hostPort' in port),
  }
  return Object.entries(wrong).flatMap(([what, is]) => (is ? [`${name} ${what}`] : []))
}

test('the direct form asks for no more rights than the classic one', () => {
  const classic = new Set(violations(podWith({ disabledFeatureGates: ['ImageVolume'] })))
  const direct = violations(podWith({ featureGates: ['DirectContainerDisk'] }))

  expect(direct.filter((violation) => !classic.has(violation))).toEqual([])
})

test('the containers of disks and of the console log lack nothing but a seccomp profile, which the pod has by configuration', () => {
  const direct = violations(podWith({ featureGates: ['DirectContainerDisk'] }))

  expect(direct.filter((violation) => !violation.startsWith('compute '))).toEqual([
    'guest-console-log has no seccomp profile',
    'volumeroot has no seccomp profile',
  ])
})

test('the checks find what the profile forbids', () => {
  const pod = podWith({ featureGates: ['DirectContainerDisk'] })
  pod.spec.volumes?.push({ name: 'host', hostPath: { path: '/' } })
  pod.spec.containers[0]!.securityContext = { privileged: true }

  expect(violations(pod)).toEqual(
    expect.arrayContaining(['hostPath', 'compute privileged', 'compute keeps capabilities']),
  )
})
