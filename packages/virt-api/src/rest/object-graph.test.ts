import { expect, test } from '@jest/globals'
import type { ObjectGraphNode, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { graphOfVm, selected } from './object-graph.ts'

const vm = {
  metadata: { name: 'a', namespace: 'n' },
  spec: {
    preference: { name: 'linux' },
    template: {
      spec: {
        domain: { devices: {} },
        networks: [{ name: 'x', multus: { networkName: 'other/net' } }],
        volumes: [
          { name: 'root', dataVolume: { name: 'd' } },
          { name: 'conf', configMap: { name: 'cm', optional: true } },
        ],
      },
    },
  },
} as unknown as VirtualMachine
const vmi = { metadata: { name: 'a', namespace: 'n' }, spec: {} } as unknown as VirtualMachineInstance

const names = ({ objectReference: { kind, namespace, name }, children = [] }: ObjectGraphNode): string[] => [
  `${kind} ${namespace}/${name}`,
  ...children.flatMap(names),
]

test('a VM’s graph has its guest, the guest’s pod, and all that the template names', () => {
  expect(names(graphOfVm(vm, vmi, 'virt-launcher-a'))).toEqual([
    'VirtualMachine n/a',
    'VirtualMachineInstance n/a',
    'Pod n/virt-launcher-a',
    'VirtualMachineClusterPreference /linux',
    'DataVolume n/d',
    'PersistentVolumeClaim n/d',
    'ConfigMap n/cm',
    'NetworkAttachmentDefinition other/net',
  ])
})

test('nodes are left out when they are optional or of another kind', () => {
  const graph = graphOfVm(vm, undefined, undefined)
  expect(names(selected(graph, { includeOptionalNodes: false }))).not.toContain('ConfigMap n/cm')
  const labelSelector = { matchLabels: { 'kubevirt.io/dependency-type': 'storage' } }
  expect(names(selected(graph, { labelSelector }))).toEqual([
    'VirtualMachine n/a',
    'DataVolume n/d',
    'PersistentVolumeClaim n/d',
  ])
})
