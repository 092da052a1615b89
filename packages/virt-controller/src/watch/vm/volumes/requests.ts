import type { VirtualMachineInstanceSpec, VirtualMachineVolumeRequest } from '@kubevirt-ts/api'
import { withVolumeRequest } from '@kubevirt-ts/vmispec'
import { isAlive } from '../seen.ts'
import type { Seen } from '../seen.ts'

/** Volumes and disks of a spec. */
export type Disks = ReturnType<typeof withVolumeRequest>

/** The spec's volumes and disks after all requests that it does not show yet. */
export function withRequests(
  spec: VirtualMachineInstanceSpec,
  requests: readonly VirtualMachineVolumeRequest[],
): VirtualMachineInstanceSpec {
  return requests.reduce((done, request) => {
    if (isShown(done, request)) return done
    const { volumes, disks } = withVolumeRequest(done, request)
    return { ...done, volumes, domain: { ...done.domain, devices: { ...done.domain.devices, disks } } }
  }, spec)
}

/** The requests that template or guest do not show yet, in order. */
export function openVolumeRequests({ vm, vmi }: Pick<Seen, 'vm' | 'vmi'>): VirtualMachineVolumeRequest[] {
  const specs = [vm.spec.template.spec, isAlive(vmi) ? vmi.spec : undefined]
  return (vm.status?.volumeRequests ?? []).filter((request) =>
    specs.some((spec) => spec !== undefined && !isShown(spec, request)),
  )
}

function isShown(
  spec: VirtualMachineInstanceSpec,
  { addVolumeOptions, removeVolumeOptions }: VirtualMachineVolumeRequest,
) {
  const has = (name: string | undefined): boolean => spec.volumes?.some((volume) => volume.name === name) ?? false
  return addVolumeOptions === undefined ? !has(removeVolumeOptions?.name) : has(addVolumeOptions.name)
}
