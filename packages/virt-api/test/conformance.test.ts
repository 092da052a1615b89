import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { KubeVirtConfiguration, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isGateEnabled, mergeConfiguration } from '@kubevirt-ts/virt-config'
import { shapeProblem } from '../src/webhooks/schema/check.ts'
import { mutateVm } from '../src/webhooks/mutating/vm.ts'
import { mutateNewVmi } from '../src/webhooks/mutating/vmi.ts'
import type { Settings } from '../src/webhooks/settings.ts'
import type { Cause } from '../src/webhooks/validating/cause.ts'
import { validateNewVmi } from '../src/webhooks/validating/vmi/create.ts'
import { validateVm } from '../src/webhooks/validating/vm/validate.ts'
import { comparable } from './comparable.ts'
import { knownMisses } from './known-misses.ts'

interface Recorded<T> {
  readonly name: string
  readonly in: T
  readonly configuration?: KubeVirtConfiguration
  readonly mutated?: T
  readonly admission: { readonly allowed: boolean; readonly stage?: string; readonly causes: readonly string[] }
}

const unconfigured: KubeVirtConfiguration = { developerConfiguration: { useEmulation: true } }

const chance = {
  now: () => '2026-01-01T00:00:00Z',
  newId: () => 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
}

function recorded<T>(kind: string): Recorded<T>[] {
  const file = join(import.meta.dirname, 'data', 'conformance', `${kind}.jsonl`)
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded<T>)
}

function settingsFor({ configuration = unconfigured }: Recorded<unknown>): Settings {
  const merged = mergeConfiguration(configuration)
  return { configuration: merged, isEnabled: (gate) => isGateEnabled(merged, gate) }
}

const verdict = (causes: readonly Cause[]) =>
  [...new Set(causes.map(({ reason, field }) => `${reason} ${field}`))].sort()

/** A case is checked unless it is a known miss, which must still be one: the list can only shrink. */
function check(kind: string, name: string, question: 'mutated' | 'admission', compare: () => void): void {
  if (!knownMisses[question].has(`${kind}/${name}`)) return compare()
  expect(compare).toThrow()
}

describe('VirtualMachineInstances are defaulted and judged as recorded', () => {
  for (const each of recorded<VirtualMachineInstance>('vmi')) {
    const settings = settingsFor(each)
    if (each.mutated) {
      test(`${each.name} gets the recorded defaults`, () => {
        check('vmi', each.name, 'mutated', () =>
          expect(comparable(mutateNewVmi(each.in, settings, chance))).toEqual(comparable(each.mutated!)),
        )
      })
    }
    if (each.admission.stage === 'mutate') continue
    test(`${each.name} gets the recorded verdict`, () => {
      expect(shapeProblem('VirtualMachineInstanceSpec', each.mutated!.spec, 'spec')).toBeUndefined()
      check('vmi', each.name, 'admission', () => {
        const { spec, metadata } = each.mutated!
        const subject = { spec, metadata, field: 'spec', metadataField: 'metadata', settings, byKubeVirt: false }
        expect(verdict(validateNewVmi(subject))).toEqual([...each.admission.causes].sort())
      })
    })
  }
})

describe('VirtualMachines are defaulted and judged as recorded', () => {
  for (const each of recorded<VirtualMachine>('vm')) {
    const settings = settingsFor(each)
    if (each.mutated) {
      test(`${each.name} gets the recorded defaults`, () => {
        check('vm', each.name, 'mutated', () =>
          expect(comparable(mutateVm(each.in, true, settings, chance))).toEqual(comparable(each.mutated!)),
        )
      })
    }
    if (each.admission.stage === 'mutate') continue
    test(`${each.name} gets the recorded verdict`, () => {
      expect(shapeProblem('VirtualMachineSpec', each.mutated!.spec, 'spec')).toBeUndefined()
      check('vm', each.name, 'admission', () =>
        expect(verdict(validateVm(each.mutated!, settings, false))).toEqual([...each.admission.causes].sort()),
      )
    })
  }
})

describe('objects that do not fit their schema are refused before anything else, as recorded', () => {
  const cases = [
    ...recorded<VirtualMachineInstance>('vmi').map((each) => ({
      ...each,
      kind: 'vmi',
      type: 'VirtualMachineInstanceSpec',
    })),
    ...recorded<VirtualMachine>('vm').map((each) => ({ ...each, kind: 'vm', type: 'VirtualMachineSpec' })),
  ].filter(({ admission }) => admission.stage === 'mutate')
  for (const { name, kind, type, in: given } of cases) {
    test(`${name} is refused`, () => {
      check(kind, name, 'admission', () => expect(shapeProblem(type, given.spec, 'spec')).toBeDefined())
    })
  }
})
