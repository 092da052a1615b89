import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance, Volume } from '@kubevirt-ts/api'
import type { Domain } from '@kubevirt-ts/domain'
import { volumeStatuses } from './volumes.ts'

const now = new Date('2026-01-01T00:00:00Z')
const domain = { spec: {} } as unknown as Domain
const wanted: Volume = { name: 'memory', memoryDump: { claimName: 'memory', hotpluggable: true } }

/** What is told of a dump's volume in this phase, where the spec wants it and the launcher has it, or not. */
function phaseAfter(phase: string, spec: readonly Volume[], plugged: readonly string[]): string | undefined {
  const status = { name: 'memory', target: '', phase, hotplugVolume: {}, memoryDumpVolume: { claimName: 'memory' } }
  const vmi = {
    metadata: { name: 'web', namespace: 'default' },
    spec: { domain: { devices: {} }, volumes: spec },
    status: { volumeStatus: [status] },
  } as unknown as VirtualMachineInstance
  return volumeStatuses(vmi, domain, { plugged, now })[0]?.phase
}

test('a claim that memory was dumped to is told to be let go once the launcher has it no more', () => {
  expect(phaseAfter('MemoryDumpCompleted', [wanted], ['memory'])).toBe('MemoryDumpCompleted')
  expect(phaseAfter('MemoryDumpCompleted', [], ['memory'])).toBe('MemoryDumpCompleted')
  expect(phaseAfter('MemoryDumpCompleted', [], [])).toBe('UnMountedFromPod')
  expect(phaseAfter('MemoryDumpFailed', [], [])).toBe('UnMountedFromPod')
})

test('a dump that is under way goes on whatever becomes of its volume', () => {
  expect(phaseAfter('MemoryDumpInProgress', [], [])).toBe('MemoryDumpInProgress')
})
