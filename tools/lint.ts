/** All static checks: stale generated files, types, lint rules with the import walls, format. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const checks: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['generated files', process.execPath, 'tools/generate.ts', '--check'],
  ['types', 'node_modules/.bin/tsc', '-p', 'tsconfig.json'],
  ['lint', 'node_modules/.bin/oxlint', '--type-aware', '--quiet'],
  ['format', 'node_modules/.bin/oxfmt', '--check', '.'],
]

let failed = 0
for (const [name, command, ...args] of checks) {
  const started = performance.now()
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`)
  if (status !== 0) failed++
}
process.exit(failed === 0 ? 0 : 1)
