import { expect, test } from '@jest/globals'
import { defineOptions, helpText, parseOptions } from './options.ts'

const definitions = defineOptions({
  port: { flag: 'port', type: 'number', default: 8443, env: 'PORT', help: 'port to listen on' },
  verbosity: { flag: 'v', type: 'number', default: 2, help: 'log level verbosity' },
  image: { flag: 'launcher-image', type: 'string', help: 'image of the launcher' },
  resync: { flag: 'resync-period', type: 'duration', default: 300_000, help: 'how often to resync' },
  labels: { flag: 'sync-labels', type: 'list', default: [], help: 'labels to carry over' },
  elect: { flag: 'leader-elect', type: 'boolean', default: false, help: 'take part in the election' },
})

class Exit extends Error {}

/** Parses, and gives what was printed and the exit code where the program would have ended. */
function parse(argv: readonly string[], env: Record<string, string> = {}) {
  const printed: string[] = []
  const print = (text: string) => void printed.push(text)
  const exit = (code: number): never => {
    throw new Exit(String(code))
  }
  try {
    return { values: parseOptions(definitions, argv, env, { name: 'virt-x', print, printError: print, exit }) }
  } catch (error) {
    if (error instanceof Exit) return { code: Number(error.message), printed: printed.join('\n') }
    throw error
  }
}

test('without flags the defaults hold', () => {
  expect(parse([]).values).toEqual({
    port: 8443,
    verbosity: 2,
    image: undefined,
    resync: 300_000,
    labels: [],
    elect: false,
  })
})

test.each([
  [['--port', '1', '-v', '5'], { port: 1, verbosity: 5 }],
  [['--port=1', '--v=5', '-v=6'], { port: 1, verbosity: 6 }],
  [['--launcher-image=a=b'], { image: 'a=b' }],
  [['--leader-elect', '--port', '1'], { elect: true, port: 1 }],
  [['--leader-elect=false'], { elect: false }],
  [['--resync-period', '1h1m1.5s'], { resync: 3_661_500 }],
  [['--sync-labels', 'a,b*'], { labels: ['a', 'b*'] }],
  [['--port', '-1'], { port: -1 }],
])('%j is understood', (argv, expected) => {
  expect(parse(argv).values).toMatchObject(expected)
})

test('the environment counts where the flag is not given', () => {
  expect(parse([], { PORT: '1' }).values?.port).toBe(1)
  expect(parse(['--port', '2'], { PORT: '1' }).values?.port).toBe(2)
})

test.each([
  [['--nonsense=1'], {}, 'unknown flag --nonsense'],
  [['--port', 'x'], {}, '--port needs a number, not "x"'],
  [[], { PORT: 'x' }, '$PORT needs a number, not "x"'],
  [['--port'], {}, '--port needs a value'],
  [['--leader-elect=maybe'], {}, '--leader-elect needs true or false'],
  [['--resync-period', '5'], {}, '--resync-period needs a duration such as 30s'],
  [['start'], {}, 'unexpected argument "start"'],
])('%j ends with 2 and names what is wrong', (argv, env, words) => {
  const { code, printed } = parse(argv, env as Record<string, string>)
  expect(code).toBe(2)
  expect(printed).toContain(words)
  expect(printed).toContain('virt-x --help')
})

test('--help prints every flag in the form of pflag and ends with 0', () => {
  expect(parse(['--port', '1', '--help'])).toEqual({ code: 0, printed: helpText(definitions, 'virt-x') })
  expect(helpText(definitions, 'virt-x')).toBe(`Usage:
  virt-x [flags]

Flags:
  -h, --help                     print this help
      --launcher-image string    image of the launcher
      --leader-elect             take part in the election
      --port int                 port to listen on [$PORT] (default 8443)
      --resync-period duration   how often to resync (default 5m0s)
      --sync-labels strings      labels to carry over
  -v, --v int                    log level verbosity (default 2)`)
})
