import { expect, test } from '@jest/globals'
import { annotation } from '@kubevirt-ts/api'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { isGateEnabled, mergeConfiguration } from '@kubevirt-ts/virt-config'
import { mutateNewVmi } from './vmi.ts'

const even = annotation.emulatorThreadCompleteToEvenParity

/** Whether a VMI whose emulator has CPUs of its own is annotated in a cluster with these gates and annotations. */
function annotated(gates: readonly string[], annotations: Record<string, string>, isolateEmulatorThread = true) {
  const configuration = mergeConfiguration({ developerConfiguration: { featureGates: [...gates] } })
  const cpu = { dedicatedCpuPlacement: true, isolateEmulatorThread, cores: 2 }
  const given = {
    metadata: { name: 'a' },
    spec: { domain: { devices: {}, cpu, memory: { guest: '128Mi' } } },
  } as VirtualMachineInstance
  const settings = {
    configuration,
    annotations,
    isEnabled: (gate: string) => isGateEnabled(configuration, gate as never),
  }
  const { metadata } = mutateNewVmi(given, settings, { now: () => '2026-01-01T00:00:00Z', newId: () => 'id' })
  return metadata.annotations?.[even] === ''
}

test('the emulator’s CPUs are made even in number where the KubeVirt resource is annotated and cores are handed out whole', () => {
  expect(annotated(['AlignCPUs'], { [even]: '' })).toBe(true)
  expect(annotated(['AlignCPUs'], {})).toBe(false)
  expect(annotated([], { [even]: '' })).toBe(false)
  expect(annotated(['AlignCPUs'], { [even]: '' }, false)).toBe(false)
})

/** Operations in the record of writers that a new VMI keeps. */
function kept(operations: readonly string[]) {
  const configuration = mergeConfiguration({})
  const managedFields = operations.map((operation) => ({ manager: 'someone', operation, apiVersion: 'kubevirt.io/v1' }))
  const given = { metadata: { name: 'a', managedFields }, spec: { domain: { devices: {} } } } as VirtualMachineInstance
  const settings = { configuration, isEnabled: () => false }
  const { metadata } = mutateNewVmi(given, settings, { now: () => '2026-01-01T00:00:00Z', newId: () => 'id' })
  return metadata.managedFields?.map(({ operation }) => operation)
}

test('the record of writers goes, unless somebody applies the VMI server-side', () => {
  expect(kept(['Update'])).toBeUndefined()
  expect(kept(['Update', 'Apply'])).toEqual(['Update', 'Apply'])
})
