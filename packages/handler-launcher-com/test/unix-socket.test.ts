import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createCmdClient, createNotifyClient, decodeVmi, encodeVmi, serveNotify } from '../src/index.ts'
import { startFakeLauncher } from '../src/testing/index.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rpc-'))
})
afterEach(() => rm(folder, { recursive: true }))

const vmi = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'a' },
  spec: { domain: { devices: {} } },
}

test('a VMI reaches the launcher as it was sent', async () => {
  const socket = join(folder, 's')
  let seen: unknown
  await using _launcher = await startFakeLauncher(socket, {
    async pauseVirtualMachine(request) {
      seen = decodeVmi(request)
      return { success: false, message: 'not now' }
    },
  })
  const client = createCmdClient(socket)

  const answer = await client.pauseVirtualMachine({ vmi: encodeVmi(vmi) })

  expect(answer).toEqual({ success: false, message: 'not now' })
  expect(seen).toEqual(vmi)
  client.close()
})

test('a call ends with the reason when nobody listens', async () => {
  const client = createCmdClient(join(folder, 'nobody'))

  await expect(client.ping({})).rejects.toMatchObject({ rpc: 'ping', code: 14 })
  client.close()
})

test('a call that the launcher never answers ends at its deadline and the launcher learns of it', async () => {
  const socket = join(folder, 's')
  let cancelled: () => void
  const noticed = new Promise<void>((resolve) => (cancelled = resolve))
  await using _launcher = await startFakeLauncher(socket, {
    ping: (_, { signal }) => new Promise(() => signal.addEventListener('abort', () => cancelled())),
  })
  const client = createCmdClient(socket)

  // Long enough that the call has come to the launcher by then, on a busy machine too.
  await expect(client.ping({}, { timeoutMs: 1_000 })).rejects.toMatchObject({ code: 4 })
  await noticed
  client.close()
})

test('a handler that asks only later finds out that its caller has gone', async () => {
  const socket = join(folder, 's')
  const asked = Promise.withResolvers<boolean>()
  const gone = Promise.withResolvers<void>()
  await using _launcher = await startFakeLauncher(socket, {
    async ping(_, context) {
      await gone.promise
      asked.resolve(context.signal.aborted)
      return {}
    },
    async getDomain(_, { signal }) {
      return { domain: signal.aborted ? 'gone' : 'there' }
    },
  })
  const client = createCmdClient(socket)
  await expect(client.ping({}, { timeoutMs: 1_000 })).rejects.toMatchObject({ code: 4 })

  // Answered behind the news that the first call is over.
  const { domain } = await client.getDomain({})
  gone.resolve()

  expect(domain).toBe('there')
  expect(await asked.promise).toBe(true)
  client.close()
})

test('a handler that throws gives the caller its words', async () => {
  const socket = join(folder, 's')
  await using _launcher = await startFakeLauncher(socket, {
    ping: () => Promise.reject(new Error('no libvirt')),
  })
  const client = createCmdClient(socket)

  await expect(client.ping({})).rejects.toThrow(`ping on ${socket} failed: no libvirt`)
  client.close()
})

test('a launcher learns that the handler came back', async () => {
  const socket = join(folder, 'n')
  const answer = async () => ({ success: true, message: '' })
  const handlers = { handleDomainEvent: answer, handleK8SEvent: answer }
  const client = createNotifyClient(socket)
  let connected = 0
  let onConnected = () => {}
  client.onConnected(() => {
    connected++
    onConnected()
  })
  const next = () => new Promise<void>((resolve) => (onConnected = resolve))

  const first = next()
  const server = await serveNotify(socket, handlers)
  await first
  const second = next()
  await server.close()
  const again = await serveNotify(socket, handlers)
  await second

  expect(connected).toBe(2)
  client.close()
  await again.close()
})

test('a socket path that the kernel would cut off is refused by name', () => {
  expect(() => createCmdClient(`/${'x'.repeat(120)}`)).toThrow(/longer than 107 bytes/)
})
