import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { KubeObject, KubeVirtConfiguration, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isGateEnabled, mergeConfiguration } from '@kubevirt-ts/virt-config'
import { shapeProblem } from '../src/schema/check.ts'
import { mutateVm } from '../src/webhooks/mutating/vm.ts'
import { mutateNewVmi } from '../src/webhooks/mutating/vmi.ts'
import { inferMatchers } from '../src/webhooks/mutating/infer.ts'
import { matcherRefusal } from '../src/webhooks/mutating/matchers.ts'
import { imageArchitectureLabel } from '../src/webhooks/referenced.ts'
import type { Referenced } from '../src/webhooks/referenced.ts'
import type { Settings } from '../src/webhooks/settings.ts'
import type { Cause } from '../src/webhooks/validating/cause.ts'
import { validateNewVmi } from '../src/webhooks/validating/vmi/create.ts'
import { validateVm } from '../src/webhooks/validating/vm/validate.ts'
import { comparable } from './comparable.ts'

interface Recorded<T> {
  readonly name: string
  readonly in: T
  readonly configuration?: KubeVirtConfiguration
  readonly objects?: readonly (KubeObject & { readonly spec?: unknown })[]
  readonly mutated?: T
  readonly admission: {
    readonly allowed: boolean
    readonly stage?: string
    readonly code?: number
    readonly causes: readonly string[]
  }
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

/** The case's other objects; each case has at most one of a kind. */
function referencedIn({ objects = [] }: Recorded<unknown>): Referenced {
  const of = (kind: RegExp) => objects.find((object) => kind.test(object.kind ?? ''))
  const instancetype = of(/Instancetype$/)
  const preference = of(/Preference$/)
  const imageArchitecture = of(/^DataSource$/)?.metadata.labels?.[imageArchitectureLabel]
  return {
    ...(instancetype && { instancetype: instancetype.spec as Referenced['instancetype'] }),
    ...(preference && { preference: preference.spec as Referenced['preference'] }),
    ...(imageArchitecture && { imageArchitecture }),
  } as Referenced
}

const verdict = (causes: readonly Cause[]) =>
  [...new Set(causes.map(({ reason, field }) => `${reason} ${field}`))].sort()

describe('VirtualMachineInstances are defaulted and judged as recorded', () => {
  for (const each of recorded<VirtualMachineInstance>('vmi')) {
    const settings = settingsFor(each)
    if (each.mutated) {
      test(`${each.name} gets the recorded defaults`, () => {
        expect(comparable(mutateNewVmi(each.in, settings, chance))).toEqual(comparable(each.mutated!))
      })
    }
    if (each.admission.stage === 'mutate') continue
    test(`${each.name} gets the recorded verdict`, () => {
      expect(shapeProblem('VirtualMachineInstanceSpec', each.mutated!.spec, 'spec')).toBeUndefined()
      const { spec, metadata } = each.mutated!
      const subject = { spec, metadata, field: 'spec', metadataField: 'metadata', settings, byKubeVirt: false }
      expect(verdict(validateNewVmi(subject))).toEqual([...each.admission.causes].sort())
    })
  }
})

describe('VirtualMachines are defaulted and judged as recorded', () => {
  for (const each of recorded<VirtualMachine>('vm')) {
    const settings = settingsFor(each)
    if (each.mutated) {
      test(`${each.name} gets the recorded defaults`, () => {
        const mutated = mutateVm(each.in, true, settings, chance, referencedIn(each))
        expect(comparable(mutated)).toEqual(comparable(each.mutated!))
      })
    }
    if (each.admission.stage === 'mutate') continue
    test(`${each.name} gets the recorded verdict`, () => {
      expect(shapeProblem('VirtualMachineSpec', each.mutated!.spec, 'spec')).toBeUndefined()
      const causes = validateVm(each.mutated!, settings, false, referencedIn(each))
      expect(verdict(causes)).toEqual([...each.admission.causes].sort())
    })
  }
})

describe('objects that the mutating webhook refuses are refused as recorded', () => {
  const refused = ({ admission }: Recorded<unknown>) => admission.stage === 'mutate'
  for (const each of recorded<VirtualMachineInstance>('vmi').filter(refused)) {
    test(`${each.name} is refused by its schema`, () => {
      expect(shapeProblem('VirtualMachineInstanceSpec', each.in.spec, 'spec')).toBeDefined()
    })
  }
  for (const each of recorded<VirtualMachine>('vm').filter(refused)) {
    test(`${each.name} is refused by its schema or for how it names its instance type`, async () => {
      const byShape = shapeProblem('VirtualMachineSpec', each.in.spec, 'spec') !== undefined
      const refusal = matcherRefusal(each.in)
      const causes = byShape ? [' '] : verdict(refusal?.causes ?? [])
      const inferred = await inferMatchers(each.in, 'default', async () => undefined)
      expect({ code: causes.length === 0 && inferred.refused ? 400 : 422, causes }).toEqual({
        code: each.admission.code,
        causes: [...each.admission.causes].sort(),
      })
    })
  }
})
