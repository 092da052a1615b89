/**
 * Bundles every service into dist/<name>.mjs: what an image or a tarball carries beside Node itself.
 * `node tools/build.ts [NAME…]` builds only the named ones.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))

type Bundle = { readonly name: string; readonly entry: string; readonly external: readonly (string | RegExp)[] }

// Inside a cluster the configuration is read by hand, so the services never load the large client.
const onlyOutsideACluster = /^@kubernetes\/client-node/
const native = /^(koffi|@koromix\/)/

const bundles: readonly Bundle[] = [
  { name: 'virt-api', entry: 'packages/virt-api/src/main.ts', external: [onlyOutsideACluster] },
  { name: 'virt-controller', entry: 'packages/virt-controller/src/main.ts', external: [onlyOutsideACluster] },
  { name: 'virt-handler', entry: 'packages/virt-handler/src/main.ts', external: [onlyOutsideACluster, native] },
  { name: 'virt-launcher', entry: 'packages/virt-launcher/src/main.ts', external: [native] },
  { name: 'stickyvm-scheduler', entry: 'packages/scheduler/src/main.ts', external: [onlyOutsideACluster] },
  { name: 'virtctl', entry: 'packages/virtctl/src/main.ts', external: [] },
]

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !bundles.some((bundle) => bundle.name === name))
if (unknown.length > 0) {
  console.error(
    `build: no bundle is called ${unknown.join(', ')}; there are ${bundles.map(({ name }) => name).join(', ')}`,
  )
  process.exit(2)
}

for (const { name, entry, external } of bundles) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  if (!existsSync(root + entry)) {
    console.error(`build: ${entry} is missing, so ${name} cannot be built`)
    process.exit(1)
  }
  const started = performance.now()
  await build({
    input: { [name]: root + entry },
    platform: 'node',
    external: [...external],
    logLevel: 'warn',
    output: {
      dir: `${root}dist`,
      format: 'esm',
      entryFileNames: '[name].mjs',
      codeSplitting: false,
      minify: true,
    },
  })
  console.log(`built dist/${name}.mjs (${((performance.now() - started) / 1000).toFixed(1)} s)`)
}
