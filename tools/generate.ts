/** Runs every generator of the workspace; `--check` fails when a committed result is stale. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const check = process.argv.includes('--check')

const generators = [
  'tools/generate-lint-rules.ts',
  'packages/api/generate/main.ts',
  'packages/handler-launcher-com/generate/main.ts',
  'packages/virt-api/generate/main.ts',
]

for (const generator of generators) {
  if (!existsSync(root + generator)) continue
  const { status } = spawnSync(process.execPath, [root + generator, ...(check ? ['--check'] : [])], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) {
    console.error(
      `generate: ${generator} failed${check ? ' or its committed result is stale; run: npm run generate' : ''}`,
    )
    process.exit(1)
  }
}
