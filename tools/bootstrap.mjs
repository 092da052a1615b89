// Makes a fresh checkout usable: installs the locked dependencies, among them Node 24 itself.
// Plain JavaScript for Node >= 18, because it runs before anything of the workspace exists.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const modified = (path) => (existsSync(root + path) ? statSync(root + path).mtimeMs : 0)

const installed = modified('node_modules/.modules.yaml')
if (installed === 0 || installed < modified('pnpm-lock.yaml') || installed < modified('package.json')) {
  const { packageManager } = JSON.parse(readFileSync(root + 'package.json', 'utf8'))
  const { status, error } = spawnSync(
    'npx',
    ['--yes', '--package', packageManager, 'pnpm', 'install', '--frozen-lockfile'],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
  )
  if (error) console.error(`bootstrap: npx could not be started: ${error.message}. Install npm with Node >= 18.`)
  process.exit(status ?? 1)
}
