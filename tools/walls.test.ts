import { expect, test } from '@jest/globals'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { mayImport, pureDoors } from '../walls.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const table: Record<string, readonly string[]> = mayImport
const order = Object.keys(table)

test('a package names only packages above its own row, so there can be no cycle', () => {
  for (const [index, name] of order.entries()) {
    for (const other of table[name] ?? []) expect(order.slice(0, index)).toContain(other)
  }
})

test('a pure door is an export of a package above those that may come in by it', () => {
  for (const [door, users] of Object.entries(pureDoors)) {
    const [name = '', entry] = door.split('/')
    const { exports = {} } = JSON.parse(readFileSync(`${root}packages/${name}/package.json`, 'utf8')) as {
      exports?: Record<string, string>
    }
    expect(Object.keys(exports)).toContain(`./${entry}`)
    for (const user of users) expect(order.slice(0, order.indexOf(user))).toContain(name)
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
    const allowed = [...(table[name] ?? []), ...doorsOf(name)]
    expect({ name, extra: ours.filter((other) => !allowed.includes(other)) }).toEqual({ name, extra: [] })
  }
})

/** Packages that `name` may enter by a pure door. */
function doorsOf(name: string): string[] {
  const doors = Object.entries(pureDoors).filter(([, users]) => (users as readonly string[]).includes(name))
  return doors.map(([door]) => door.split('/')[0] ?? '')
}
