/**
 * Writes the TypeScript of proto/ into the packages that speak it: cmd, notify and hooks here, kubelet's device plugin
 * API into virt-handler. With `--check` nothing is written; exit code 1 names the stale files.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, mkdirSync, copyFileSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const bin = join(root, 'node_modules/.bin')

const targets = [
  { path: 'kubevirt', out: 'packages/handler-launcher-com/src/generated' },
  { path: 'deviceplugin', out: 'packages/virt-handler/src/generated' },
]

// Node strips types only: no enums, relative imports with their ending.
const options = [
  'env=node',
  'esModuleInterop=true',
  'importSuffix=.ts',
  'outputServices=grpc-js',
  'enumsAsLiterals=true',
  'unrecognizedEnum=false',
  'forceLong=bigint',
  'oneof=unions-value',
  'useOptionals=messages',
  'exportCommonSymbols=false',
  'outputJsonMethods=false',
]

function generate(path: string, out: string): void {
  const template = { version: 'v2', plugins: [{ local: join(bin, 'protoc-gen-ts_proto'), out, opt: options }] }
  const args = ['generate', '--template', JSON.stringify(template), '--path', path]
  const run = spawnSync(join(bin, 'buf'), args, { cwd: join(root, 'proto'), encoding: 'utf8' })
  if (run.status !== 0) throw new Error(`buf generate of proto/${path} failed:\n${run.error?.message ?? run.stderr}`)
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

/** Files that differ, are missing or are left over in `committed`, as paths below it. */
function staleFiles(fresh: string, committed: string): string[] {
  const names = new Set([...filesBelow(fresh), ...filesBelow(committed)])
  const text = (folder: string, name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined
  return [...names].filter((name) => text(fresh, name) !== text(committed, name))
}

function replace(fresh: string, committed: string): void {
  rmSync(committed, { recursive: true, force: true })
  for (const name of filesBelow(fresh)) {
    mkdirSync(dirname(join(committed, name)), { recursive: true })
    copyFileSync(join(fresh, name), join(committed, name))
  }
}

const check = process.argv.includes('--check')
const scratch = mkdtempSync(join(tmpdir(), 'proto-'))
try {
  for (const { path, out } of targets) {
    const fresh = join(scratch, path)
    generate(path, fresh)
    const stale = staleFiles(fresh, join(root, out))
    if (stale.length === 0) continue
    if (check) {
      console.error(`${out} is stale (${stale.join(', ')}); run: npm run generate`)
      process.exitCode = 1
    } else replace(fresh, join(root, out))
  }
} finally {
  rmSync(scratch, { recursive: true })
}
