import { expect, test } from '@jest/globals'
import type { DomainSpec } from '@kubevirt-ts/domain'
import { fitToHost, readFacts } from './libvirt-fit.ts'

const domain = (mode: string): DomainSpec => ({
  $type: 'qemu',
  name: 'vm',
  memory: { _: '1' },
  maxMemory: { _: '2' },
  os: { type: { _: 'hvm' } },
  devices: {},
  cpu: { $mode: mode },
})

const capabilities = `<domainCapabilities><cpu>
  <mode name='host-passthrough' supported='no'/>
  <mode name='maximum' supported='yes'><enum/></mode>
  <mode name='host-model' supported='yes'></mode>
</cpu></domainCapabilities>`

test('the modes that libvirt offers are read from its capabilities', () => {
  expect([...readFacts(capabilities).cpuModes]).toEqual(['maximum', 'host-model'])
})

test.each([
  ['a mode that libvirt offers stays', 'host-model', ['host-model', 'maximum'], 'host-model'],
  ['a mode that it refuses becomes all that the emulation has', 'host-model', ['maximum'], 'maximum'],
  ["without that it is left to libvirt's default", 'host-model', [], undefined],
  ['a named model is never replaced', 'custom', [], 'custom'],
])('%s', (_, mode, modes, expected) => {
  expect(fitToHost(domain(mode), { cpuModes: new Set(modes) }).cpu?.$mode).toBe(expected)
})

test('room for more memory belongs to one NUMA cell that is the whole guest', () => {
  const growing = { ...domain('custom'), memory: { $unit: 'b', _: '134217728' }, vcpu: { _: '4' } }

  expect(fitToHost(growing, { cpuModes: new Set() })).toMatchObject({
    maxMemory: { _: '2' },
    cpu: { numa: { cell: [{ $id: '0', $cpus: '0-3', $memory: '131072', $unit: 'KiB' }] } },
  })
})
