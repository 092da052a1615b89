import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parseDomain, toXml } from '@kubevirt-ts/domain'
import { toDomain } from '../src/virtwrap/converter/index.ts'
import { recordedContext, recordedVmi, type RecordedCase } from './recorded-context.ts'

/** What KubeVirt itself makes of a VMI, recorded: `N.json` is the question, `N.xml` the answer. */
const folder = join(import.meta.dirname, 'data/conformance')
const names = readdirSync(folder).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : []))

/** Cases whose answer differs, and why. */
const knownMisses: Readonly<Record<string, string>> = {}

describe('the domain of a recorded VMI is the recorded one', () => {
  test.each(names)('%s', (name) => {
    const recorded = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as RecordedCase
    const want = comparable(readFileSync(join(folder, `${name}.xml`), 'utf8'))

    const got = comparable(toXml(toDomain(recordedVmi(recorded), recordedContext(recorded))))

    if (knownMisses[name] === undefined) expect(got).toEqual(want)
    else expect(got).not.toEqual(want)
  })
})

/** The recording has no uid in the metadata. */
function comparable(xml: string): unknown {
  return canonical({ ...parseDomain(xml), metadata: undefined })
}

/** Elements that say nothing and the order of elements do not count, but for that of disks and interfaces. */
function canonical(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item))
    if (key === 'disk' || key === 'interface') return items
    return items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .map(([name, item]) => [name, canonical(item, name)] as const)
    .filter(([name, item]) => !(saysNothing.has(name) && isEmpty(item)))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries)
}

const saysNothing = new Set(['source', 'bios', 'baseBoard', 'chassis'])

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
