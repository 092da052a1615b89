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

test('a call that the launcher never answers ends at its deadline, and the next one is answered', async () => {
  const socket = join(folder, 's')
  const answers = [new Promise<object>(() => {}), Promise.resolve({})]
  await using _launcher = await startFakeLauncher(socket, { ping: () => answers.shift()! })
  const client = createCmdClient(socket)

  // Long enough that the call has come to the launcher by then, on a busy machine too.
  const late = client.ping({}, { timeoutMs: 1_000 })
  await expect(late).rejects.toMatchObject({ code: 4, message: expect.stringContaining('no answer within 1000 ms') })
  await client.ping({})
  expect(answers).toHaveLength(0)
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
