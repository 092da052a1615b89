import { expect, test } from '@jest/globals'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { mayImport } from '../walls.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const table: Record<string, readonly string[]> = mayImport
const order = Object.keys(table)

test('a package names only packages above its own row, so there can be no cycle', () => {
  for (const [index, name] of order.entries()) {
    for (const other of table[name] ?? []) expect(order.slice(0, index)).toContain(other)
  }
})

test('every package of the workspace has a row', () => {
  expect(readdirSync(`${root}packages`).filter((name) => !order.includes(name))).toEqual([])
})

test('a manifest depends only on workspace packages that its row allows', () => {
  for (const name of order) {
    const manifest = `${root}${name === 'e2e' ? 'e2e' : `packages/${name}`}/package.json`
    if (!existsSync(manifest)) continue
    const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      dependencies?: Record<string, string>
    }
    const ours = Object.keys(dependencies)
      .filter((dependency) => dependency.startsWith('@kubevirt-ts/'))
      .map((dependency) => dependency.slice('@kubevirt-ts/'.length))
    expect({ name, extra: ours.filter((other) => !table[name]?.includes(other)) }).toEqual({ name, extra: [] })
  }
})
