import { expect, test } from '@jest/globals'
import {
  controllerRevisions,
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
  virtualMachineInstancetypes,
} from '@kubevirt-ts/api'
import type { KubeObject, VirtualMachine } from '@kubevirt-ts/api'
import { vm, vmi, withUid } from '@kubevirt-ts/libvmi'
import { copyName, copyOf } from './copies.ts'
import { expand } from './expand.ts'
import { find, instancetypeReference } from './find.ts'
import type { Lookup } from './find.ts'

const small = {
  apiVersion: 'instancetype.kubevirt.io/v1beta1',
  kind: 'VirtualMachineClusterInstancetype',
  metadata: { name: 'small', uid: 'i', generation: 3 },
  spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' } },
}

function vmWith(spec: Partial<VirtualMachine['spec']>, status?: VirtualMachine['status']): VirtualMachine {
  const object = vm(vmi(), withUid('vm'))
  object.metadata.namespace = 'default'
  object.spec = { ...object.spec, ...spec }
  const { memory: _m, resources: _r, cpu: _c, ...domain } = object.spec.template.spec!.domain
  object.spec.template.spec!.domain = domain
  if (status !== undefined) object.status = status
  return object
}

function lookupIn(...objects: readonly KubeObject[]): Lookup {
  return async (resource, { namespace, name }) =>
    objects.find(
      ({ kind, metadata }) => kind === resource.kind && metadata.name === name && metadata.namespace === namespace,
    ) as never
}

test('a VM names a cluster-wide instance type unless it says else', () => {
  expect(instancetypeReference(vmWith({ instancetype: { name: 'small' } }))).toEqual({
    resource: virtualMachineClusterInstancetypes,
    name: 'small',
  })
  const own = vmWith({ instancetype: { name: 'small', kind: 'VirtualMachineInstancetype' } })
  expect(instancetypeReference(own)).toEqual({
    resource: virtualMachineInstancetypes,
    namespace: 'default',
    name: 'small',
  })
  expect(instancetypeReference(vmWith({}))).toBeUndefined()
  expect(() => instancetypeReference(vmWith({ instancetype: { name: 'x', kind: 'Flavor' } }))).toThrow('Flavor')
})

test('the copy in use goes before the live object, until the spec names another', async () => {
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'vm', uid: 'vm' }
  const status = {
    instancetypeRef: {
      name: 'small',
      kind: 'VirtualMachineClusterInstancetype',
      controllerRevisionRef: { name: 'copy' },
    },
  }
  const machine = vmWith({ instancetype: { name: 'small' } }, status)
  const copy = copyOf(machine, { object: small, resource: virtualMachineClusterInstancetypes, owner })
  expect(copy.metadata.name).toBe(`${machine.metadata.name}-small-i-3`)
  expect(copy.metadata.name).toBe(copyName(machine, small))
  expect(copy.metadata.labels).toEqual({
    'instancetype.kubevirt.io/object-generation': '3',
    'instancetype.kubevirt.io/object-kind': 'VirtualMachineClusterInstancetype',
    'instancetype.kubevirt.io/object-name': 'small',
    'instancetype.kubevirt.io/object-uid': 'i',
    'instancetype.kubevirt.io/object-version': 'v1beta1',
  })
  copy.metadata.name = 'copy'
  const changed = { ...small, spec: { ...small.spec, cpu: { guest: 8 } } }
  const { instancetype } = await find(machine, lookupIn(changed, copy))
  expect(instancetype?.spec.cpu.guest).toBe(2)
  const renamed = vmWith({ instancetype: { name: 'large' } }, status)
  expect((await find(renamed, lookupIn(copy))).missing).toEqual({
    what: 'instancetype',
    name: 'VirtualMachineClusterInstancetype "large"',
  })
})

test('what does not exist is named', async () => {
  const machine = vmWith({ preference: { name: 'linux' } })
  expect(await find(machine, lookupIn())).toEqual({
    missing: { what: 'preference', name: 'VirtualMachineClusterPreference "linux"' },
  })
  const pinned = vmWith({ preference: { name: 'linux', revisionName: 'r' } })
  expect((await find(pinned, lookupIn())).missing?.name).toBe('ControllerRevision "r"')
  const broken = { kind: controllerRevisions.kind, metadata: { name: 'r', namespace: 'default' }, data: {} }
  await expect(find(pinned, lookupIn(broken))).rejects.toThrow('default/r holds no instance type')
})

test('an expanded VM names nothing any more and has the values written out', async () => {
  const machine = vmWith({ instancetype: { name: 'small' }, preference: { name: 'linux' } })
  machine.spec.template.spec!.volumes = [{ name: 'root', containerDisk: { image: 'registry.example/disk:1' } }]
  const preference = {
    kind: virtualMachineClusterPreferences.kind,
    metadata: { name: 'linux' },
    spec: { devices: { preferredDiskBus: 'virtio' } },
  }
  const before = structuredClone(machine)
  const expanded = expand(machine, await find(machine, lookupIn(small, preference)))
  expect(expanded.conflicts).toBeUndefined()
  expect(expanded).toMatchObject({
    vm: {
      spec: {
        template: {
          spec: {
            domain: {
              cpu: { sockets: 2 },
              memory: { guest: '1Gi' },
              devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] },
            },
          },
        },
      },
    },
  })
  expect('vm' in expanded && Object.keys(expanded.vm.spec)).not.toContain('instancetype')
  expect('vm' in expanded && Object.keys(expanded.vm.spec)).not.toContain('preference')
  expect(machine).toEqual(before)
})
