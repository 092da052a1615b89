import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '@kubevirt-ts/kubecli'
import { createWebSocketStream } from 'ws'
import type { WebSocket } from 'ws'
import { CommandError } from '../command.ts'
import type { Cluster, CommandContext, CommandDefinition } from '../command.ts'
import { subresourcePath } from '../client/subresource.ts'
import { joinTerminal } from './session.ts'

const retryMs = 1000

const disconnected = `
You were disconnected from the console. This could be caused by one of the following:
 - the target VM was powered off
 - another user connected to the console of the target VM
 - network issues
`

export const consoleCommand: CommandDefinition = {
  name: 'console',
  arguments: [['vmi', 'name of the virtual machine instance']],
  summary: 'Connect to a console of a virtual machine instance.',
  examples: [
    ["Connect to the console of the instance 'myvmi':", 'console myvmi'],
    ['Wait up to ten minutes for it to run:', 'console myvmi --timeout=10'],
  ],
  flags: [
    { flags: '--timeout <minutes>', help: 'minutes to wait for the instance to be ready', default: 5, parse: minutes },
  ],
  run: async (context, [vmi = ''], flags) => {
    const socket = await connect(await context.cluster(), vmi, (flags['timeout'] as number) * 60_000, context)
    context.terminal.stderr.write(`Successfully connected to ${vmi} console. Press Ctrl+] or Ctrl+5 to exit console.\n`)
    const end = await joinTerminal(createWebSocketStream(socket), context.terminal, context.signal)
    if (end === 'closed') context.terminal.stderr.write(disconnected)
    return undefined
  },
}

function minutes(text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value >= 0) return value
  throw new CommandError(`--timeout: ${text} is not a number of minutes`)
}

/** Tries until the instance has a console. Only refusals that waiting can not cure end it before its time. */
async function connect(
  { client, namespace }: Cluster,
  vmi: string,
  timeoutMs: number,
  { signal }: CommandContext,
): Promise<WebSocket> {
  const path = subresourcePath(namespace, 'virtualmachineinstances', vmi, 'console')
  const deadline = Date.now() + timeoutMs
  for (;;) {
    try {
      return await client.upgrade(path, { paused: true, signal })
    } catch (error) {
      if (!isCurable(error)) throw new CommandError(`Can't access VMI ${vmi}: ${(error as Error).message}`)
      if (Date.now() >= deadline) {
        throw new CommandError(`Timeout trying to connect to the virtual machine instance: ${(error as Error).message}`)
      }
      await delay(retryMs, undefined, { signal })
    }
  }
}

/** An instance that is not there, not running yet, or whose node is out of reach for a moment. */
const isCurable = (error: unknown) =>
  error instanceof ApiError && (error.code === 404 || error.code >= 500 || /is not running/.test(error.message))
