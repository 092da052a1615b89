import { expect, test } from '@jest/globals'
import { cpuVendorOf, labelChange } from './labels.ts'
import { machineTypesOf } from './machine-types.ts'

const q35 = 'machine-type.node.kubevirt.io/q35'
const old = 'machine-type.node.kubevirt.io/pc-q35-2.4'
const intel = 'cpu-vendor.node.kubevirt.io/Intel'

test('missing labels are set, stale ones removed, those of others kept', () => {
  const present = { [old]: 'true', [q35]: 'false', 'kubernetes.io/arch': 'amd64' }

  expect(labelChange(present, { machineTypes: ['q35'], cpuVendor: 'Intel' })).toEqual({
    [old]: null,
    [q35]: 'true',
    [intel]: 'true',
  })
})

test('a node that is labelled right is left alone', () => {
  expect(labelChange({ [q35]: 'true' }, { machineTypes: ['q35'] })).toBeUndefined()
})

test('machine types are read from capabilities, each once', () => {
  const xml = `<arch name='i686'><machine maxCpus='255'>pc-q35-10.0</machine>
    <machine canonical='pc-q35-10.0' maxCpus='255'>q35</machine></arch><arch><machine>q35</machine></arch>`

  expect(machineTypesOf(xml)).toEqual(['pc-q35-10.0', 'q35'])
})

test('the vendor has the name that libvirt gives it', () => {
  expect(cpuVendorOf('processor\t: 0\nvendor_id\t: GenuineIntel\n')).toBe('Intel')
  expect(cpuVendorOf('processor\t: 0\n')).toBeUndefined()
})

test('CPU models, features and timers are labels, without those that are obsolete', () => {
  const cpu = {
    usableModels: ['qemu64', 'Penryn'],
    knownModels: ['qemu64', 'Penryn', 'EPYC'],
    features: ['aes'],
    hostModel: { name: 'Skylake', requiredFeatures: ['vmx'] },
    hyperv: ['vpindex'],
    tsc: { frequency: '2419200000', scalable: true },
  }

  expect(labelChange({}, { machineTypes: [], cpu, realtime: true }, { qemu64: true })).toEqual({
    'cpu-model.node.kubevirt.io/Penryn': 'true',
    'cpu-model-migration.node.kubevirt.io/Penryn': 'true',
    'cpu-model-migration.node.kubevirt.io/EPYC': 'true',
    'cpu-model-migration.node.kubevirt.io/Skylake': 'true',
    'cpu-feature.node.kubevirt.io/aes': 'true',
    'host-model-cpu.node.kubevirt.io/Skylake': 'true',
    'host-model-required-features.node.kubevirt.io/vmx': 'true',
    'hyperv.node.kubevirt.io/vpindex': 'true',
    'cpu-timer.node.kubevirt.io/tsc-frequency': '2419200000',
    'cpu-timer.node.kubevirt.io/tsc-scalable': 'true',
    'kubevirt.io/realtime': 'true',
  })
})

test('an obsolete host model is marked, and the mark goes when it is not obsolete any more', () => {
  const cpu = {
    usableModels: [],
    knownModels: [],
    features: [],
    hyperv: [],
    hostModel: { name: 'old', requiredFeatures: [] },
  }
  const mark = 'node-labeller.kubevirt.io/obsolete-host-model'

  expect(labelChange({}, { machineTypes: [], cpu }, { old: true })).toMatchObject({ [mark]: 'true' })
  expect(labelChange({ [mark]: 'true' }, { machineTypes: [], cpu }, {})).toMatchObject({ [mark]: null })
})
