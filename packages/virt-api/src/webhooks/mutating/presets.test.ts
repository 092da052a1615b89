import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance, VirtualMachineInstancePreset } from '@kubevirt-ts/api'
import { mergePresets } from './presets.ts'

const vmi = (domain: object = {}, annotations?: Record<string, string>) =>
  ({
    metadata: { name: 'a', labels: { flavour: 'small' }, ...(annotations && { annotations }) },
    spec: { domain: { devices: {}, ...domain } },
  }) as unknown as VirtualMachineInstance

const preset = (name: string, domain: object, flavour = 'small') =>
  ({
    metadata: { name },
    spec: { selector: { matchLabels: { flavour } }, domain },
  }) as unknown as VirtualMachineInstancePreset

const merged = (given: VirtualMachineInstance, ...presets: VirtualMachineInstancePreset[]) => {
  const result = mergePresets(given, presets)
  if (result.refused !== undefined) throw new Error(result.refused)
  return { ...result, domain: result.vmi.spec.domain, annotations: result.vmi.metadata.annotations }
}

const cpu = { cores: 2 }

test('a VMI gets what the presets for its labels set, and says which they were', () => {
  const result = merged(
    vmi(),
    preset('cores', { cpu, resources: { requests: { memory: '64M' } }, devices: { watchdog: { name: 'dog' } } }),
    preset('other', { cpu: { cores: 8 } }, 'large'),
  )
  expect(result.domain).toEqual({
    cpu,
    resources: { requests: { memory: '64M' } },
    devices: { watchdog: { name: 'dog' } },
  })
  expect(result.annotations).toEqual({ 'virtualmachinepreset.kubevirt.io/cores': 'kubevirt.io/v1' })
  expect(result.warnings).toEqual([])
})

test('what a VMI says itself stays, and the rest of the preset is applied', () => {
  const result = merged(vmi({ cpu: { cores: 4 } }), preset('p', { cpu, ioThreadsPolicy: 'auto' }))
  expect(result.domain).toMatchObject({ cpu: { cores: 4 }, ioThreadsPolicy: 'auto' })
  expect(result.warnings).toEqual([expect.stringMatching(/preset p was applied in part.*spec\.domain\.cpu$/i)])
})

test('a preset of which nothing could be taken leaves no mark', () => {
  const result = merged(vmi({ cpu: { cores: 4 } }), preset('p', { cpu }))
  expect(result.annotations).toBeUndefined()
  expect(result.warnings).toEqual([expect.stringContaining('was not applied')])
})

test('presets that say the same are both marked; presets that differ refuse the VMI', () => {
  expect(merged(vmi(), preset('p', { cpu }), preset('q', { cpu })).annotations).toEqual({
    'virtualmachinepreset.kubevirt.io/p': 'kubevirt.io/v1',
    'virtualmachinepreset.kubevirt.io/q': 'kubevirt.io/v1',
  })
  expect(mergePresets(vmi(), [preset('p', { cpu }), preset('q', { cpu: { cores: 3 } })])).toEqual({
    refused: expect.stringContaining('p and q differ in spec.domain.cpu'),
  })
})

test('a VMI that wants no presets gets none', () => {
  const excluded = vmi({}, { 'virtualmachineinstancepresets.admission.kubevirt.io/exclude': 'true' })
  expect(mergePresets(excluded, [preset('p', { cpu })])).toEqual({ vmi: excluded, warnings: [] })
})

test('the VMI that was given stays as it was', () => {
  const given = vmi()
  merged(given, preset('p', { cpu }))
  expect(given).toEqual(vmi())
})
