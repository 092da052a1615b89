import { describe, expect, test } from '@jest/globals'
import type {
  VirtualMachineInstanceSpec,
  VirtualMachineInstancetypeSpec,
  VirtualMachinePreferenceSpec,
} from '@kubevirt-ts/api'
import { preferenceRequirements } from './preference.ts'

const template = (domain: object): VirtualMachineInstanceSpec => ({
  architecture: 'amd64',
  domain: { devices: {}, ...domain },
})

const fieldsOf = (
  domain: object,
  preference: VirtualMachinePreferenceSpec,
  instancetype?: VirtualMachineInstancetypeSpec,
) =>
  preferenceRequirements(template(domain), { preference, ...(instancetype && { instancetype }) }).map(
    ({ reason, field }) => `${reason} ${field}`,
  )

const fourCpus = { requirements: { cpu: { guest: 4 } } }
const cpu = 'spec.template.spec.domain.cpu'

describe('requirements of a preference', () => {
  test('processors are sockets, unless it prefers otherwise', () => {
    expect(fieldsOf({ cpu: { sockets: 4 } }, fourCpus)).toEqual([])
    expect(fieldsOf({ cpu: { cores: 4, sockets: 1 } }, fourCpus)).toEqual([`FieldValueNotFound ${cpu}.sockets`])
    for (const preferredCPUTopology of ['cores', 'preferCores']) {
      expect(fieldsOf({ cpu: { cores: 4 } }, { ...fourCpus, cpu: { preferredCPUTopology } })).toEqual([])
    }
  })

  test('spread processors are counted over what they are spread', () => {
    const spread = { ...fourCpus, cpu: { preferredCPUTopology: 'spread' } }
    expect(fieldsOf({ cpu: { sockets: 2, cores: 2 } }, spread)).toEqual([])
    expect(fieldsOf({ cpu: { sockets: 2, cores: 1, threads: 2 } }, spread)).toEqual([
      `FieldValueNotFound ${cpu}.sockets, ${cpu}.cores`,
    ])
  })

  test('memory and architecture', () => {
    const memory = { requirements: { memory: { guest: '4Gi' } } }
    expect(fieldsOf({ memory: { guest: '2Gi' } }, memory)).toEqual([
      'FieldValueNotFound spec.template.spec.domain.memory',
    ])
    expect(fieldsOf({}, { requirements: { architecture: 'arm64' } })).toEqual([
      'FieldValueNotFound spec.template.spec.architecture',
    ])
  })

  test('an instance type has to bring what is required', () => {
    const small = { cpu: { guest: 2 }, memory: { guest: '8Gi' } }
    expect(fieldsOf({}, fourCpus, small)).toEqual(['FieldValueNotFound spec.instancetype'])
    expect(fieldsOf({}, { requirements: { memory: { guest: '4Gi' } } }, small)).toEqual([])
  })
})
