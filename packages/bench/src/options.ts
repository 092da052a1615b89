import { parseArgs } from 'node:util'

export type BenchOptions = { readonly cluster: string; readonly runs: number; readonly only: readonly string[] }

const help = (names: readonly string[]) => `Measures the running product beside a reference in the same run.

Usage:
  npm run bench -- [ROW…] [--cluster NAME] [--runs N]

Rows (all unless named):
${names.map((name) => `  ${name}`).join('\n')}

Options:
  --cluster NAME   the local cluster, with the product installed (demo)
  --runs N         repetitions of each timed row (5)
  --help           this text

Examples:
  npm run bench
  npm run bench -- vmi-start --runs 10
`

export function parseBenchOptions(argv: readonly string[], names: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      cluster: { type: 'string', default: 'demo' },
      runs: { type: 'string', default: '5' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(help(names))
    process.exit(0)
  }
  const unknown = positionals.filter((name) => !names.includes(name))
  const runs = Number(values.runs)
  if (unknown.length > 0 || !Number.isInteger(runs) || runs < 1) {
    process.stderr.write(
      `${unknown.length > 0 ? `no row is called ${unknown.join(', ')}` : '--runs needs a whole number of at least 1'}\n\n${help(names)}`,
    )
    process.exit(2)
  }
  return { cluster: values.cluster, runs, only: positionals }
}
