import { parseArgs } from 'node:util'
import { podsPerNode } from './lab/fake-nodes.ts'
import type { LabSize } from './run-scenario.ts'
import type { Scenario, ScenarioOptions } from './scenarios/scenario.ts'

export type BenchOptions =
  | {
      readonly what: 'rows'
      readonly cluster: string
      readonly runs: number
      readonly seed: number
      readonly only: readonly string[]
    }
  | {
      readonly what: 'scenario'
      readonly scenario: Scenario
      readonly options: ScenarioOptions
      readonly size: LabSize
    }

export type Choice = {
  readonly rows: readonly string[]
  readonly scenarios: readonly Scenario[]
}

const help = ({ rows, scenarios }: Choice) => `Measures the product beside a reference in the same run.

Usage:
  npm run bench -- [ROW…] [--cluster NAME] [--runs N]
  npm run bench -- SCENARIO [--objects N] [--per-second N] [--seconds N]

Rows: real guests on a local cluster with the product installed (all unless named)
${rows.map((name) => `  ${name}`).join('\n')}

Scenarios: thousands of fake guests; real etcd, API server, controllers, scheduler, virt-controller and virt-api
${scenarios.map(({ name, about }) => `  ${name.padEnd(14)}${about}`).join('\n')}

Options:
  --cluster NAME   the local cluster of the rows (demo)
  --runs N         repetitions of each timed row (5)
  --seed N         repeats the random waits of an earlier run
  --objects N      how many guests a scenario makes; each has a number of its own
  --per-second N   pace of creations
  --seconds N      how long a scenario with a duration lasts
  --nodes N        fake nodes (as many as the guests need, at least 10)
  --start-ms N     what a fake kubelet takes for a pod's start (800 for steady and churn, else 0)
  --guest-ms N     what a fake virt-handler takes for a guest's start (500 for steady and churn, else as --start-ms)
  --stop-ms N      what either takes for an end (0)
  --help           this text

Examples:
  npm run bench
  npm run bench -- vmi-start --runs 10
  npm run bench -- steady --objects 1000 --per-second 10
  npm run bench -- steady --start-ms 0
  npm run bench -- burst --objects 300
`

const whole = { type: 'string' } as const

/** What the command line asks for; prints help or a complaint and ends the process where it asks for nothing. */
export function parseBenchOptions(argv: readonly string[], choice: Choice): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      cluster: { type: 'string', default: 'demo' },
      runs: { type: 'string', default: '5' },
      seed: whole,
      objects: whole,
      'per-second': whole,
      seconds: whole,
      nodes: whole,
      'start-ms': whole,
      'guest-ms': whole,
      'stop-ms': { type: 'string', default: '0' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(help(choice))
    process.exit(0)
  }
  const number = (
    name: 'runs' | 'seed' | 'objects' | 'per-second' | 'seconds' | 'nodes' | 'start-ms' | 'guest-ms' | 'stop-ms',
    otherwise: number,
  ) => {
    const value = Number(values[name] ?? otherwise)
    return Number.isInteger(value) && value >= 0 ? value : complain(`--${name} needs a whole number`, choice)
  }
  const scenario = choice.scenarios.find(({ name }) => name === positionals[0])
  if (scenario !== undefined) {
    if (positionals.length > 1) complain('one scenario at a time', choice)
    const objects = number('objects', scenario.defaults.objects)
    const startMs = number('start-ms', scenario.starts?.startMs ?? 0)
    return {
      what: 'scenario',
      scenario,
      options: {
        objects,
        perSecond: number('per-second', scenario.defaults.perSecond),
        seconds: number('seconds', scenario.defaults.seconds),
      },
      size: {
        nodes: number('nodes', Math.max(10, Math.ceil((objects * 1.2) / podsPerNode))),
        startMs,
        guestMs: number('guest-ms', values['start-ms'] === undefined ? (scenario.starts?.guestMs ?? 0) : startMs),
        stopMs: number('stop-ms', 0),
      },
    }
  }
  const unknown = positionals.filter((name) => !choice.rows.includes(name))
  if (unknown.length > 0) complain(`nothing is called ${unknown.join(', ')}`, choice)
  return {
    what: 'rows',
    cluster: values.cluster,
    runs: Math.max(1, number('runs', 5)),
    seed: number('seed', Date.now() % 1_000_000),
    only: positionals,
  }
}

function complain(message: string, choice: Choice): never {
  process.stderr.write(`${message}\n\n${help(choice)}`)
  process.exit(2)
}
