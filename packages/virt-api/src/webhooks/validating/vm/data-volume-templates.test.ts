import { expect, test } from '@jest/globals'
import type { VirtualMachine } from '@kubevirt-ts/api'
import { dataVolumeTemplates } from './data-volume-templates.ts'

const storage = { resources: { requests: { storage: '1Gi' } } }
const blank = { blank: {} }

/** What is wrong with a template of this name and spec, in a VM that uses `dv`. */
const causesOf = (spec: object, name: string | undefined = 'dv') =>
  dataVolumeTemplates({
    metadata: { name: 'vm', namespace: 'n' },
    spec: {
      dataVolumeTemplates: [{ metadata: { name }, spec }],
      template: { spec: { domain: { devices: {} }, volumes: [{ name: 'd', dataVolume: { name: 'dv' } }] } },
    },
  } as unknown as VirtualMachine).map(({ reason, field }) => `${reason} ${field}`)

const path = 'spec.dataVolumeTemplate[0]'

test.each([
  ['well', { storage, source: blank }, []],
  ['filled by another controller', { storage: { ...storage, dataSourceRef: { kind: 'VolumePopulator' } } }, []],
  ['no storage', { source: blank }, [`FieldValueInvalid ${path}.PVC.Storage`]],
  ['two kinds of storage', { storage, pvc: storage, source: blank }, [`FieldValueInvalid ${path}.PVC.Storage`]],
  ['no source', { storage }, [`FieldValueInvalid ${path}.source.sourceRef`]],
  ['an empty source', { storage, source: {} }, [`FieldValueInvalid ${path}.source`]],
  [
    'two ways of filling',
    { storage: { ...storage, dataSource: { name: 's' } }, source: blank },
    [`FieldValueInvalid ${path}.source`],
  ],
])('%s', (_what, spec, causes) => {
  expect(causesOf(spec)).toEqual(causes)
})

test('one cause for each template, the first', () => {
  expect(causesOf({}, '')).toEqual([`FieldValueRequired ${path}.name`])
  expect(causesOf({}, 'other')).toEqual([`FieldValueInvalid ${path}.PVC.Storage`])
  expect(causesOf({ storage, source: blank }, 'other')).toEqual([`FieldValueRequired ${path}`])
})
