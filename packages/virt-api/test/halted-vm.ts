import type { VirtualMachine } from '@kubevirt-ts/api'

const namespace = '/apis/subresources.kubevirt.io/v1/namespaces/n'

/** Where the subresources of namespace n are. */
export const paths = {
  vm: `${namespace}/virtualmachines/a`,
  vmi: `${namespace}/virtualmachineinstances/a`,
  expand: `${namespace}/expand-vm-spec`,
}

export const haltedVm = (): VirtualMachine => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'a', namespace: 'n' },
  spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } } },
})
