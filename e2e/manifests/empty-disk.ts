import type { tickingVm } from './ticking.ts'
import type { tinyVm } from './vms.ts'

/** With a disk that lives on the guest's node alone, so that it is copied along when the guest moves. */
export function withEmptyDisk(vm: ReturnType<typeof tinyVm | typeof tickingVm>) {
  const { template } = vm.spec
  const { domain, volumes } = template.spec
  const disks = [...domain.devices.disks, { name: 'scratch', disk: { bus: 'virtio' } }]
  const spec = {
    ...template.spec,
    domain: { ...domain, devices: { ...domain.devices, disks } },
    volumes: [...volumes, { name: 'scratch', emptyDisk: { capacity: '16Mi' } }],
  }
  return { ...vm, spec: { ...vm.spec, template: { ...template, spec } } }
}
