/**
 * Bundles every service into dist/<name>.mjs: what an image or a tarball carries beside Node itself.
 * `node tools/build.ts [NAME…]` builds only the named ones.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))

type Bundle = { readonly name: string; readonly entry: string; readonly external: readonly (string | RegExp)[] }

const native = /^(koffi|@koromix\/)/

const bundles: readonly Bundle[] = [
  { name: 'virt-api', entry: 'packages/virt-api/src/main.ts', external: [] },
  { name: 'virt-controller', entry: 'packages/virt-controller/src/main.ts', external: [] },
  { name: 'virt-handler', entry: 'packages/virt-handler/src/main.ts', external: [native] },
  { name: 'virt-launcher', entry: 'packages/virt-launcher/src/main.ts', external: [native] },
  { name: 'virt-probe', entry: 'packages/virt-launcher/src/programs/virt-probe.ts', external: [] },
  { name: 'virt-freezer', entry: 'packages/virt-launcher/src/programs/virt-freezer.ts', external: [] },
  { name: 'stickyvm-scheduler', entry: 'packages/scheduler/src/main.ts', external: [] },
  { name: 'virtctl', entry: 'packages/virtctl/src/main.ts', external: [] },
]

/**
 * What libraries load, or carry along, and no service uses: it would cost every process memory. Each file is replaced by
 * an empty module.
 */
const leftOut: readonly RegExp[] = [
  // Node's cluster, a client for push gateways, and metrics that createRegistry writes in fewer lines.
  /\/prom-client\/lib\/(cluster|defaultMetrics|pushgateway|summary)\.js$/,
  // Log lines go to standard output in this thread.
  /\/pino\/lib\/(transport|multistream)\.js$/,
  // No route has a schema of fastify's, and injected requests are for tests.
  /\/@fastify\/(ajv-compiler|fast-json-stringify-compiler)\//,
  /\/light-my-request\//,
  // gRPC's messages are compiled by ts-proto; only its channelz and ORCA would read .proto files.
  /\/@grpc\/proto-loader\//,
]

const leaveOut: Plugin = {
  name: 'leave-out',
  resolveId(source, importer) {
    // fastify loads HTTP/2 at its start and would use it only if asked to.
    return source === 'node:http2' && importer?.includes('/fastify/') ? '\0nothing' : undefined
  },
  load(id) {
    return id === '\0nothing' || leftOut.some((file) => file.test(id)) ? 'module.exports = {}' : undefined
  },
}

/** One character beyond Latin-1 makes V8 keep two bytes for each of a whole bundle. */
function escapeNonAscii(file: string): void {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(file, readFileSync(file, 'utf8').replace(/[^\0-\x7f]/g, escaped))
}

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
    plugins: [leaveOut],
    output: {
      dir: `${root}dist`,
      format: 'esm',
      entryFileNames: '[name].mjs',
      codeSplitting: false,
      minify: true,
    },
  })
  escapeNonAscii(`${root}dist/${name}.mjs`)
  console.log(`built dist/${name}.mjs (${((performance.now() - started) / 1000).toFixed(1)} s)`)
}
