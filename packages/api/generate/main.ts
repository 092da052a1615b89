/**
 * Writes everything that is made from the tables of this package. With `--check` nothing is written:
 * the exit code is 1 when a committed result differs from what the tables say.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crdFiles } from './crd.ts'
import { readDescriptions } from './descriptions.ts'
import { readFieldTable } from './field-table.ts'
import { readKinds } from './kinds.ts'
import { readConstraints } from './schema.ts'
import { typescriptFiles } from './typescript.ts'

const generatedTypes = fileURLToPath(new URL('../src/generated', import.meta.url))

const crds = fileURLToPath(new URL('../../../charts/kubevirt/crds', import.meta.url))

const types = readFieldTable()
const describe = readDescriptions(types)
const outputs = [
  { folder: generatedTypes, files: typescriptFiles(types, describe) },
  { folder: crds, files: crdFiles({ types, constraints: readConstraints(), describe }, readKinds()) },
]

if (process.argv.includes('--check')) {
  const stale = outputs.flatMap(staleFiles)
  for (const path of stale) console.error(`stale: ${path}`)
  process.exitCode = stale.length > 0 ? 1 : 0
} else {
  outputs.forEach(write)
}

interface Output {
  readonly folder: string
  readonly files: ReadonlyMap<string, string>
}

function staleFiles({ folder, files }: Output): string[] {
  const present = listFiles(folder)
  const surplus = present.filter((file) => !files.has(file))
  const changed = [...files].filter(
    ([file, content]) => !present.includes(file) || readFileSync(`${folder}/${file}`, 'utf8') !== content,
  )
  return [...surplus, ...changed.map(([file]) => file)].map((file) => `${folder}/${file}`)
}

function write({ folder, files }: Output): void {
  for (const file of listFiles(folder)) if (!files.has(file)) rmSync(`${folder}/${file}`)
  for (const [file, content] of files) {
    mkdirSync(dirname(`${folder}/${file}`), { recursive: true })
    writeFileSync(`${folder}/${file}`, content)
  }
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length + 1))
  } catch {
    return []
  }
}
