/**
 * Makes what virtctl is installed from without a checkout, in dist/: `virtctl`, one executable file, and
 * `virtctl-<version>.tgz`, an npm tarball. Both need only Node on the machine.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBuiltin } from 'node:module'
import { build, type Plugin } from 'rolldown'

const root = fileURLToPath(new URL('../..', import.meta.url))
const dist = join(root, 'dist')

/** No older one is tried; `Promise.withResolvers` and `process.getBuiltinModule` need 22.3. */
const oldestNode = '22.19'

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string }

/** Runs on any Node, before the rest of the file is: an old one gets a sentence instead of a stack. */
const guard = [
  '#!/usr/bin/env node',
  `var nodeVersion = process.versions.node.split('.').map(Number), oldest = '${oldestNode}'.split('.').map(Number)`,
  'if (nodeVersion[0] < oldest[0] || (nodeVersion[0] === oldest[0] && nodeVersion[1] < oldest[1])) {',
  `  console.error('virtctl: Node ' + process.versions.node + ' is too old; it needs Node >= ${oldestNode}')`,
  '  process.exit(1)',
  '}',
].join('\n')

/** Node's own modules are loaded by the first module that is run and needs them; a bundle loads them all at its start. */
const lateBuiltins: Plugin = {
  name: 'late-builtins',
  resolveId: (id) => (isBuiltin(id) ? `\0${id.replace(/^(node:)?/, 'node:')}.cjs` : null),
  load: (id) => {
    const [, name] = /^\0(node:.*)\.cjs$/.exec(id) ?? []
    return name === undefined ? null : `module.exports = process.getBuiltinModule('${name}')`
  },
}

/** CommonJS, because a file whose name has no ending is that for every Node. */
async function bundle(file: string): Promise<void> {
  await build({
    input: fileURLToPath(new URL('src/main.ts', import.meta.url)),
    platform: 'node',
    logLevel: 'warn',
    plugins: [lateBuiltins],
    transform: { target: 'node18' },
    output: { file, format: 'cjs', codeSplitting: false, minify: true, banner: guard },
  })
  chmodSync(file, 0o755)
}

function tarball(executable: string): string {
  const staging = join(dist, 'virtctl-package')
  const folder = join(staging, 'package')
  rmSync(staging, { recursive: true, force: true })
  mkdirSync(join(folder, 'bin'), { recursive: true })
  copyFileSync(executable, join(folder, 'bin', 'virtctl.cjs'))
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  copyFileSync(fileURLToPath(new URL('README.md', import.meta.url)), join(folder, 'README.md'))
  const manifest = {
    name: 'virtctl',
    version,
    description: 'Controls virtual machines on Kubernetes.',
    license: 'Apache-2.0',
    bin: { virtctl: 'bin/virtctl.cjs', 'kubectl-virt': 'bin/virtctl.cjs' },
    engines: { node: `>=${oldestNode}` },
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  const file = join(dist, `virtctl-${version}.tgz`)
  const { status } = spawnSync('tar', ['-C', staging, '-czf', file, 'package'], { stdio: 'inherit' })
  rmSync(staging, { recursive: true, force: true })
  if (status !== 0) throw new Error(`tar could not write ${file}`)
  return file
}

mkdirSync(dist, { recursive: true })
// Inside the checkout, whose files are modules, the executable still is what it is elsewhere.
writeFileSync(join(dist, 'package.json'), '{ "type": "commonjs" }\n')
const executable = join(dist, 'virtctl')
await bundle(executable)
console.log(`made ${executable}\nmade ${tarball(executable)}`)
