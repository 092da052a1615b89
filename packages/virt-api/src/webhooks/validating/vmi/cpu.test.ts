import { expect, test } from '@jest/globals'
import { causesOf } from '../../../../test/vmi-causes.ts'

const dedicated = (cpu: object, requests: object = {}) => ({
  cpu: { dedicatedCpuPlacement: true, ...cpu },
  resources: { requests: { memory: '128Mi', ...requests } },
})

test('arm64 has one thread for each core', () => {
  expect(causesOf({ architecture: 'arm64' }, dedicated({ cores: 1, threads: 2 }))).toEqual([
    'FieldValueInvalid spec.architecture',
  ])
})

test('a request must be the number of vCPUs', () => {
  expect(causesOf({}, dedicated({ cores: 2 }, { cpu: '2' }))).toEqual([])
  expect(causesOf({}, dedicated({ cores: 2 }, { cpu: '3' }))).toEqual([
    'FieldValueInvalid spec.domain.cpu.dedicatedCpuPlacement',
  ])
})
