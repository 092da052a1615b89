import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { ensure, eventually } from './eventually.ts'
import { must, run, type Output } from './run.ts'
import { Screen } from './screen.ts'
import { root } from './tools.ts'

const program = `${root}packages/virtctl/bin/virtctl`

export const virtctl = (...args: string[]): Promise<string> => must(program, args)
/** A command that waits for what takes longer on a busy machine. */
export const virtctlWithin = (timeoutMs: number, ...args: string[]): Promise<string> =>
  must(program, args, { timeoutMs })
export const tryVirtctl = (...args: string[]): Promise<Output> => run(program, args)
/** A command that somebody types into. */
export const virtctlTyped = (input: string, ...args: string[]): Promise<Output> => run(program, args, { input })

type Proxy = AsyncDisposable & { readonly port: number }

/** The local end of a guest's screen for a viewer, by `virtctl vnc --proxy-only`. */
export const vncProxy = (namespace: string, name: string): Promise<Proxy> =>
  proxied(['vnc', name, '-n', namespace, '--proxy-only'])

/** A command that listens, and tells its port as JSON. */
const proxied = (args: readonly string[]): Promise<Proxy> => listening(args, 'stdout', /"port": *(\d+)\D/)

/** A guest's port as a local one that is free, by `virtctl port-forward`. */
export const portForwarded = (...args: string[]): Promise<Proxy> =>
  listening(['port-forward', ...args], 'stderr', /^forwarding \w+ \S+:(\d+) to /m)

async function listening(args: readonly string[], where: 'stdout' | 'stderr', telling: RegExp): Promise<Proxy> {
  const proxy = spawn(program, args)
  const ended = once(proxy, 'close')
  let told = ''
  // It goes on writing to what it has here.
  for await (const text of proxy[where].setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    told += text as string
    if (telling.test(told)) break
  }
  const [, port] = telling.exec(told) ?? []
  if (port === undefined) throw new Error(`virtctl ${args.join(' ')} ended without a port: ${told}`)
  return {
    port: Number(port),
    [Symbol.asyncDispose]: async () => {
      proxy.kill()
      await ended
    },
  }
}

/** The first bytes that a guest's screen sends to a viewer that connects through `virtctl vnc --proxy-only`. */
export const vncGreeting = (namespace: string, name: string): Promise<string> => greetingOf(vncProxy(namespace, name))

/** The first bytes that a guest's USB bus sends to a device that connects through `virtctl usbredir --no-launch`. */
export const usbGreeting = (namespace: string, name: string): Promise<string> =>
  greetingOf(proxied(['usbredir', name, '-n', namespace, '--no-launch']))

async function greetingOf(opening: Promise<Proxy>): Promise<string> {
  await using proxy = await opening
  const viewer = connect(proxy.port, '127.0.0.1')
  const [greeting] = (await once(viewer, 'data', { signal: AbortSignal.timeout(60_000) })) as [Buffer]
  viewer.destroy()
  return greeting.toString('latin1')
}

/** A user at a guest's serial console, by `virtctl console`. */
export class Console implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #screen = new Screen()
  #errors = ''
  #closed = false

  constructor(namespace: string, name: string) {
    this.#child = spawn(program, ['console', name, '-n', namespace])
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#screen.write(text))
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#errors += text))
    this.#child.stdin.on('error', () => undefined)
    this.#child.once('close', () => (this.#closed = true))
  }

  /** All that the console has shown. */
  get screen(): string {
    return this.#screen.text
  }

  /** What virtctl itself has said. */
  get told(): string {
    return this.#errors
  }

  type(text: string): void {
    this.#child.stdin.write(text)
  }

  /**
   * Waits for text on the screen after position `from`; returns the position behind it. A program that has ended shows
   * nothing more, so it is not waited for.
   */
  async see(pattern: RegExp, timeoutMs = 120_000, from = 0): Promise<number> {
    const seen = await eventually(
      `console shows ${pattern}`,
      async () => {
        const isClosed = this.#closed
        const match = pattern.exec(this.screen.slice(from))
        ensure(match !== null || isClosed, this.#last)
        return match === null ? undefined : from + match.index + match[0].length
      },
      timeoutMs,
    )
    ensure(seen !== undefined, `virtctl console ended before it showed ${pattern}; ${this.#last}`)
    return seen
  }

  get #last(): string {
    return `the last it showed: ${JSON.stringify(this.screen.slice(-400))} ${this.#errors}`
  }

  /** Types a line and waits for what it makes the guest show. */
  async ask(line: string, pattern: RegExp, timeoutMs?: number): Promise<string> {
    const from = this.screen.length
    this.type(`${line}\n`)
    const end = await this.see(pattern, timeoutMs, from)
    return this.screen.slice(from, end)
  }

  /** Logs in at the prompt; presses Enter until there is one. A session that somebody left open is taken over. */
  async logIn(user: string, password: string, timeoutMs = 120_000): Promise<void> {
    const enter = setInterval(() => this.type('\n'), 3_000)
    try {
      await this.see(/(login:|[#$]) *$/m, timeoutMs)
    } finally {
      clearInterval(enter)
    }
    if (!/login: *$/m.test(this.screen)) return
    await eventually(`${user} is logged in`, () => this.#answer(user, password), timeoutMs)
  }

  /** One try at the prompt: a login that is started anew has thrown away what was typed before. */
  async #answer(user: string, password: string): Promise<void> {
    const from = this.screen.length
    this.type(`${user}\n`)
    // The kernel and services write behind a prompt too, so it is looked for anywhere behind what was typed.
    const asked = await this.see(/assword:/, 30_000, from)
    this.type(`${password}\n`)
    const answered = await this.see(/[#$] *$|incorrect/m, 60_000, asked)
    ensure(!this.screen.slice(asked, answered).includes('incorrect'), `${user} is not let in`)
  }

  /** Waits until the program ends by itself, and all that it said has come; returns what it said about that. */
  async ended(timeoutMs = 60_000): Promise<string> {
    await eventually('virtctl console ended', async () => ensure(this.#closed, this.#errors), timeoutMs)
    return this.#errors
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = new Promise((resolve) => this.#child.once('close', resolve))
    this.#child.kill('SIGTERM')
    await ended
  }
}
