import { setTimeout as delay } from 'node:timers/promises'
import { ApiError, isNotFound, isServerFailure } from '@kubevirt-ts/kubecli'
import { createWebSocketStream } from 'ws'
import type { WebSocket } from 'ws'
import { endOf, mayComeBack, Patience } from '../client/stream-end.ts'
import type { StreamEnd } from '../client/stream-end.ts'
import { subresourcePath } from '../client/subresource.ts'
import { told } from '../client/told.ts'
import { CommandError } from '../command.ts'
import type { Cluster, CommandContext, CommandDefinition } from '../command.ts'
import { joinTerminal } from './session.ts'

const retryMs = 1000

const disconnected = `
You were disconnected from the console. This could be caused by one of the following:
 - the target VM was powered off
 - another user connected to the console of the target VM
 - network issues
`
const taken = '\nYou were disconnected from the console: another user connected to it.\n'
const lost = '\nThe connection to the console was lost; the VM still runs. Connecting again, Ctrl+C gives up.\n'
const back = 'Connected again.\n'

export const consoleCommand: CommandDefinition = {
  name: 'console',
  arguments: [['vmi', 'name of the virtual machine instance']],
  summary: 'Connect to a console of a virtual machine instance.',
  examples: [
    ["Connect to the console of the instance 'myvmi':", 'console myvmi'],
    ['Wait up to ten minutes for it to run:', 'console myvmi --timeout=10'],
    ['Show only what comes from now on:', 'console myvmi --no-replay'],
  ],
  flags: [
    { flags: '--timeout <minutes>', help: 'minutes to wait for the instance to be ready', default: 5, parse: minutes },
    { flags: '--no-replay', help: 'do not begin with the last screen, which a terminal is shown unless told' },
  ],
  run: async (context, [vmi = ''], flags) => {
    const timeoutMs = (flags['timeout'] as number) * 60_000
    const cluster = await context.cluster()
    const { stderr, stdout } = context.terminal
    const wanted = { vmi, timeoutMs }
    const socket = await connect(
      cluster,
      {
        ...wanted,
        replay: flags['replay'] !== false && stdout.isTTY === true,
        onWait: (why) => stderr.write(`Waiting for the console of ${vmi}: ${why}. Ctrl+C gives up.\n`),
        isCurable,
      },
      context,
    )
    stderr.write(`Successfully connected to ${vmi} console. Press Ctrl+] or Ctrl+5 to exit console.\n`)
    const end = await follow(socket, context, {
      isThere: () => mayComeBack(cluster, vmi),
      again: () => connect(cluster, { ...wanted, replay: false, isCurable: isCurableAgain }, context),
    })
    if (end !== 'escaped') stderr.write(end === 'taken' ? taken : disconnected)
    return undefined
  },
}

interface Way {
  readonly isThere: () => Promise<boolean>
  readonly again: () => Promise<WebSocket>
}

/** Joins terminal and guest, anew whenever what is between them restarts while the guest runs on. */
async function follow(
  first: WebSocket,
  { terminal, signal }: CommandContext,
  { isThere, again }: Way,
): Promise<StreamEnd | 'escaped'> {
  const patience = new Patience()
  for (let socket = first; ; socket = await again()) {
    if (socket !== first) terminal.stderr.write(back)
    patience.begins()
    const ending = endOf(socket)
    if ((await joinTerminal(createWebSocketStream(socket), terminal, signal)) === 'escaped') return 'escaped'
    const end = await ending
    if (end !== 'lost' || !patience.lasts() || !(await isThere())) return end
    terminal.stderr.write(lost)
  }
}

function minutes(text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value >= 0) return value
  throw new CommandError(`--timeout: ${text} is not a number of minutes`)
}

interface Wanted {
  readonly vmi: string
  readonly timeoutMs: number
  /** Whether virt-handler is to begin with the end of the console's log. */
  readonly replay: boolean
  /** Told once why the console is not there yet. */
  readonly onWait?: (why: string) => void
  /** Whether waiting may help. */
  readonly isCurable: (error: unknown) => boolean
}

/** Tries until the instance has a console. Only refusals that waiting can not cure end it before its time. */
async function connect(
  { client, namespace }: Cluster,
  { vmi, timeoutMs, replay, onWait, isCurable: isWorthIt }: Wanted,
  { signal }: CommandContext,
): Promise<WebSocket> {
  const path = subresourcePath(namespace, 'virtualmachineinstances', vmi, 'console')
  const deadline = Date.now() + timeoutMs
  for (let tries = 0; ; tries++) {
    try {
      return await client.upgrade(path, { paused: true, signal, ...(replay && { query: { replay: true } }) })
    } catch (error) {
      if (!isWorthIt(error)) throw new CommandError(`Can't access VMI ${vmi}: ${(error as Error).message}`)
      if (Date.now() >= deadline) {
        throw new CommandError(`Timeout trying to connect to the virtual machine instance: ${(error as Error).message}`)
      }
      if (tries === 0) onWait?.(told(error))
      await delay(retryMs, undefined, { signal })
    }
  }
}

/** An instance that is not there, not running yet, or whose node is out of reach for a moment. */
const isCurable = (error: unknown) =>
  isNotFound(error) || isServerFailure(error) || (error instanceof ApiError && /is not running/.test(error.message))

/** What was reached before is no wrong address: an API server that is out of reach comes back, too. */
const isCurableAgain = (error: unknown) => !(error instanceof ApiError) || isCurable(error)
