import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { toXml } from '@kubevirt-ts/domain'
import { domainSchema } from '@kubevirt-ts/libvirt/testing'
import { toDomain } from '../src/virtwrap/converter/index.ts'
import { fitToHost } from '../src/virtwrap/libvirt-fit.ts'
import { fitToSchema } from '../src/virtwrap/schema-fit.ts'
import { recordedContext, recordedVmi, type RecordedCase } from './recorded-context.ts'

const folder = join(import.meta.dirname, 'data/conformance')
const names = readdirSync(folder).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : []))

/** Cases that libvirt's schema refuses, and why. */
const knownRefusals: Readonly<Record<string, string>> = {
  '022-cpu-model-features': 'a feature without a policy, which the parser requires of the CPU',
  '090-lun-reservation': 'reservations that move along, which the parser knows alone',
  '120-passt-binding': 'passt as a vhost-user backend names no socket',
  '144-panic-devices': 'the model pvpanic, which the parser knows alone',
  '159-acpi-slic-msdm': 'a table of the type msdm, of newer schemas',
  '166-hyperv-tlbflush-direct': 'parts of tlbflush, of newer schemas',
  '181-sev-snp': 'SEV-SNP of fewer words than the schema wants',
  '182-tdx': 'TDX, of newer schemas',
  '349-y-mac-multicast': 'what the user wrote: a multicast address of a card',
  '354-y-tray-state-unknown': 'what the user wrote: a tray that is neither open nor closed',
  '355-y-watchdog-unknown-action': 'what the user wrote: an action that no watchdog has',
  '357-y-lun-on-filesystem-pvc': 'what the user wrote: a LUN that is a file',
  '392-clock-absent-timer-only': 'timers of a clock without an offset, which the parser takes for UTC',
}

const host = { cpuModes: new Set(['host-model', 'host-passthrough', 'maximum']) }
const schema = domainSchema()
afterAll(() => schema.close())

test.each(names)("what libvirt is given for %s is of libvirt's own schema", (name) => {
  const recorded = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as RecordedCase
  const domain = toDomain(recordedVmi(recorded), recordedContext(recorded))

  const refusal = schema.refusal(toXml(fitToSchema(fitToHost(domain, host))))

  expect(refusal ?? '').toMatch(name in knownRefusals ? /against schema/ : /^$/)
})

test('a domain that is none is refused by the schema', () => {
  expect(schema.refusal('<domain type="test"><name>a</name><nonsense/></domain>')).toMatch(/nonsense/)
})
