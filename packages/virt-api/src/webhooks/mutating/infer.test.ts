import { expect, test } from '@jest/globals'
import type { KubeObject, VirtualMachine } from '@kubevirt-ts/api'
import { inferMatchers } from './infer.ts'
import type { Lookup } from './infer.ts'

const labels = {
  'instancetype.kubevirt.io/default-instancetype': 'small',
  'instancetype.kubevirt.io/default-instancetype-kind': 'VirtualMachineInstancetype',
}

/** A lookup in objects by kind, namespace and name. */
const lookupIn = (objects: Readonly<Record<string, object>>) =>
  (async ({ kind }, { namespace, name }) => objects[`${kind} ${namespace}/${name}`] as KubeObject | undefined) as Lookup

function vm(volume: object, more: object = {}, policy?: string): VirtualMachine {
  return {
    metadata: { name: 'a' },
    spec: {
      instancetype: { inferFromVolume: 'root', ...(policy && { inferFromVolumeFailurePolicy: policy }) },
      template: {
        spec: { domain: { devices: {}, memory: { guest: '512Mi' } }, volumes: [{ name: 'root', ...volume }] },
      },
      ...more,
    },
  } as unknown as VirtualMachine
}

const dataVolume = { dataVolume: { name: 'd' } }
const template = (spec: object, metadata: object = {}) => ({
  dataVolumeTemplates: [{ metadata: { name: 'd', ...metadata }, spec }],
})

test.each([
  [
    'a claim',
    vm({ persistentVolumeClaim: { claimName: 'c' } }),
    { 'PersistentVolumeClaim n/c': { metadata: { labels } } },
  ],
  ['a DataVolume', vm(dataVolume), { 'DataVolume n/d': { metadata: { labels } } }],
  ['the template of a DataVolume', vm(dataVolume, template({}, { labels })), {}],
  [
    'a claim that is cloned',
    vm(dataVolume, template({ source: { pvc: { namespace: 'm', name: 'c' } } })),
    { 'PersistentVolumeClaim m/c': { metadata: { labels } } },
  ],
  [
    'a snapshot',
    vm(dataVolume, template({ source: { snapshot: { name: 's' } } })),
    { 'VolumeSnapshot n/s': { metadata: { labels } } },
  ],
  [
    'a DataSource',
    vm(dataVolume, template({ sourceRef: { kind: 'DataSource', namespace: 'm', name: 's' } })),
    { 'DataSource m/s': { metadata: { labels } } },
  ],
  [
    'what a DataSource leads to',
    vm(dataVolume, template({ sourceRef: { kind: 'DataSource', namespace: 'm', name: 's' } })),
    {
      'DataSource m/s': { metadata: {}, spec: { source: { pvc: { name: 'c' } } } },
      'PersistentVolumeClaim m/c': { metadata: { labels } },
    },
  ],
])('%s names the instance type', async (_, given, objects) => {
  const { vm: inferred } = (await inferMatchers(given, 'n', lookupIn(objects))) as { vm: VirtualMachine }
  expect(inferred.spec.instancetype).toEqual({ name: 'small', kind: 'VirtualMachineInstancetype' })
  expect(inferred.spec.template!.spec!.domain.memory).toEqual({ guest: '512Mi' })
})

test.each([
  ['a volume without labels', vm(dataVolume), /unable to find required .*default-instancetype label/],
  ['a volume of another kind', vm({ emptyDisk: {} }), /only claims and DataVolumes/],
])('%s is refused', async (_, given, message) => {
  expect(await inferMatchers(given, 'n', lookupIn({}))).toEqual({ refused: expect.stringMatching(message) })
})

test('a failure that is ignored takes the wish away, a success the memory that was for it', async () => {
  const failed = await inferMatchers(vm(dataVolume, {}, 'Ignore'), 'n', lookupIn({}))
  expect((failed as { vm: VirtualMachine }).vm.spec.instancetype).toBeUndefined()
  const found = await inferMatchers(
    vm(dataVolume, {}, 'Ignore'),
    'n',
    lookupIn({ 'DataVolume n/d': { metadata: { labels } } }),
  )
  expect((found as { vm: VirtualMachine }).vm.spec.template!.spec!.domain.memory).toEqual({})
})
