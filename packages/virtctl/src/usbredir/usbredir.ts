import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { joinLocally } from '../client/local-stream.ts'
import { subresourcePath } from '../client/subresource.ts'
import { CommandError } from '../command.ts'
import type { CommandContext, CommandDefinition } from '../command.ts'

/** The program that speaks to a local USB device; from the package usbredirect. */
const program = 'usbredirect'
const connectTimeoutMs = 60_000

export const usbredir: CommandDefinition = {
  name: 'usbredir',
  arguments: [
    ['[device]', 'vendor:product or bus-device, as lsusb shows them; left out with --no-launch'],
    ['[vmi]', 'name of the virtual machine instance'],
  ],
  summary: 'Redirect a local USB device to a virtual machine instance.',
  examples: [
    ["Give a stick to 'testvmi', until Ctrl+C:", 'usbredir 46f4:0001 testvmi'],
    ['The same by its place:', 'usbredir 01-03 testvmi'],
    ['Only listen, for a client of your own:', 'usbredir testvmi --no-launch'],
  ],
  flags: [{ flags: '--no-launch', help: `only listen and print the port; ${program} is not started` }],
  run: async (context, args, flags) => {
    const launch = flags['launch'] !== false
    const [device, vmi] = launch ? args : [undefined, args.at(-1)]
    if (!vmi || (launch && !device)) throw new CommandError('name a device and an instance: usbredir 46f4:0001 testvmi')
    if (device !== undefined) checkDevice(device)
    const { client, namespace } = await context.cluster()
    const path = subresourcePath(namespace, 'virtualmachineinstances', vmi, 'usbredir')
    const stream = await client.upgrade(path, { paused: true, signal: context.signal }).catch((error: Error) => {
      throw new CommandError(`Can't access VMI ${vmi}: ${error.message}`)
    })
    const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const child = device === undefined ? undefined : start(device, port, server)
    if (!child) context.terminal.stdout.write(`${JSON.stringify({ port })}\n`)
    try {
      const socket = await connection(server, launch, context)
      await joinLocally(stream, socket, context.signal)
    } finally {
      child?.kill()
      stream.terminate()
      server.close()
    }
    return undefined
  },
}

function checkDevice(device: string): void {
  if (/^[0-9a-f]{4}:[0-9a-f]{4}$/i.test(device) || /^\d{1,3}-\d{1,3}$/.test(device)) return
  throw new CommandError(
    `${device} is no USB device: write vendor:product such as 46f4:0001, or bus-device such as 01-03`,
  )
}

function start(device: string, port: number, server: Server) {
  return spawn(program, ['--device', device, '--to', `127.0.0.1:${port}`], { stdio: 'ignore' }).once('error', () => {
    server.emit('missing')
  })
}

async function connection(server: Server, launched: boolean, { signal }: CommandContext): Promise<Socket> {
  const limit = launched ? AbortSignal.any([signal, AbortSignal.timeout(connectTimeoutMs)]) : signal
  const missing = once(server, 'missing', { signal: limit }).then(() => {
    throw new CommandError(`could not start ${program}: install it, or use --no-launch and a client of your own`)
  })
  const connected = once(server, 'connection', { signal: limit }).catch(() => {
    throw new CommandError(signal.aborted ? 'interrupted' : `${program} did not connect within 60 seconds`)
  })
  missing.catch(() => undefined)
  const [socket] = (await Promise.race([connected, missing])) as [Socket]
  return socket
}
