import type { Quantity } from '@kubevirt-ts/api'
import { VirtError } from '@kubevirt-ts/service/error'
import type { Draft } from './draft.ts'
import type { Launch } from './launch.ts'
import { reservationLabels } from './persistent-reservation.ts'

interface Resources {
  readonly requests: Record<string, Quantity>
  readonly limits: Record<string, Quantity>
}

const prefix = 'devices.kubevirt.io'

/** Devices of the node that the guest needs; the scheduler counts them, the kubelet opens them to the container. */
export function devices(draft: Draft, { requests, limits }: Resources, launch: Launch): void {
  for (const name of limited(launch)) limits[name] = '1'
  const counted = [...requested(launch), ...passedThrough(launch), ...ofNetworks(launch)]
  for (const name of counted) requests[name] = limits[name] = String(Number(limits[name] ?? 0) + 1)
  const claims = resourceClaims(launch)
  if (claims.length > 0) draft.compute.resources = { ...draft.compute.resources, claims }
}

function limited({ vmi, context, isEnabled }: Launch): string[] {
  const { devices } = vmi.spec.domain
  const interfaces = devices.interfaces ?? []
  const emulated = context.configuration.developerConfiguration?.useEmulation === true
  const hasTap = interfaces.length > 0 || devices.autoattachPodInterface !== false
  const hasVirtioNic =
    hasTap && (interfaces.length === 0 || interfaces.some(({ model }) => !model || model === 'virtio'))
  return [
    ...(emulated ? [] : [`${prefix}/kvm`]),
    ...(hasTap ? [`${prefix}/tun`] : []),
    ...(hasVirtioNic && !emulated ? [`${prefix}/vhost-net`] : []),
    ...(devices.autoattachVSOCK ? [`${prefix}/vhost-vsock`] : []),
    ...(isEnabled('IOMMUFD') ? [`${prefix}/iommufd`] : []),
  ]
}

function requested(launch: Launch): string[] {
  const security = launch.vmi.spec.domain.launchSecurity
  return [
    ...(security?.sev || security?.snp ? [`${prefix}/sev`] : []),
    ...(security?.tdx ? [`${prefix}/tdx`] : []),
    ...(reservationLabels(launch).length > 0 ? [`${prefix}/pr-helper`] : []),
  ]
}

function passedThrough({ vmi, context }: Launch): string[] {
  const { gpus = [], hostDevices = [] } = vmi.spec.domain.devices
  const names = [...gpus, ...hostDevices].flatMap(({ deviceName }) => deviceName || [])
  const { permittedHostDevices: permitted } = context.configuration
  if (permitted === undefined) return names
  const { pciHostDevices = [], mediatedDevices = [], usb = [] } = permitted
  const allowed = new Set([...pciHostDevices, ...mediatedDevices, ...usb].map(({ resourceName }) => resourceName))
  const refused = names.find((name) => !allowed.has(name))
  if (refused !== undefined) {
    throw new VirtError(
      'FailedCreateValidation',
      `device ${refused} of VMI ${vmi.metadata.name} is not permitted: add it to permittedHostDevices of the KubeVirt resource`,
    )
  }
  return names
}

/** Where no webhook adds the devices of the pod's networks, each network's definition names its own. */
function ofNetworks({ vmi, context, isEnabled }: Launch): string[] {
  if (isEnabled('ExternalNetResourceInjection')) return []
  return (vmi.spec.networks ?? []).flatMap(({ multus }) => {
    if (multus === undefined) return []
    const [first = '', second] = multus.networkName.split('/')
    const namespace = second === undefined ? (vmi.metadata.namespace ?? 'default') : first
    const resource = context.networkAnnotations(namespace, second ?? first)?.['k8s.v1.cni.cncf.io/resourceName']
    return resource ? [resource] : []
  })
}

function resourceClaims({ vmi, isEnabled }: Launch): { name: string; request?: string }[] {
  const { gpus = [], hostDevices = [] } = vmi.spec.domain.devices
  const networks = isEnabled('NetworkDevicesWithDRA') ? (vmi.spec.networks ?? []) : []
  const claims = [...gpus, ...hostDevices, ...networks.flatMap(({ resourceClaim }) => resourceClaim ?? [])]
  return claims.flatMap(({ claimName, requestName }) =>
    claimName ? [{ name: claimName, ...(requestName ? { request: requestName } : {}) }] : [],
  )
}
