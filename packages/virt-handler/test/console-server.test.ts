import { expect, test } from '@jest/globals'
import { rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { WebSocket } from 'ws'
import {
  call,
  closeCode,
  consoles,
  devices,
  ended,
  folder,
  launcher,
  open,
  opened,
  path,
  stranger,
} from './consoles-under-test.ts'

test('what is typed reaches the guest and its answer comes back, all of it', async () => {
  const webSocket = await opened(open('console'))
  expect(webSocket.protocol).toBe('plain.kubevirt.io')
  const sent = Buffer.alloc(8 * 1024 * 1024, 'guest says so ')
  const received: Buffer[] = []
  const whole = new Promise<void>((resolve) => {
    let length = 0
    webSocket.on('message', (data: Buffer, isBinary) => {
      expect(isBinary).toBe(true)
      received.push(data)
      length += data.length
      if (length >= sent.length) resolve()
    })
  })

  for (let start = 0; start < sent.length; start += 65_536) webSocket.send(sent.subarray(start, start + 65_536))
  await whole

  expect(Buffer.concat(received).equals(sent)).toBe(true)
  webSocket.close()
}, 30_000)

test('a second console takes the place of the first', async () => {
  const first = await opened(open('console'))
  const firstEnded = closeCode(first)
  const second = await opened(open('console'))
  expect(await firstEnded).toBe(4001)

  const echo = new Promise<string>((resolve) => second.once('message', (data: Buffer) => resolve(data.toString())))
  second.send('still here')
  expect(await echo).toBe('still here')

  await expect(opened(open('console?preserveSession=true'))).rejects.toThrow('503')
  second.close()
})

test('the session ends with the guest', async () => {
  const webSocket = await opened(open('console'))
  const over = ended(webSocket)
  consoles.close().catch(() => undefined)
  await over
})

test('a socket that was swapped for a link leads nowhere', async () => {
  await rename(join(devices, 'virt-serial0'), join(folder, 'elsewhere'))
  await symlink(join(folder, 'elsewhere'), join(devices, 'virt-serial0'))

  await expect(opened(open('console'))).rejects.toThrow('500')
})

test('a guest without a screen says so', async () => {
  await expect(opened(open('vnc'))).rejects.toThrow('400')
})

test('a console that asks for it begins with the last screen', async () => {
  const log = join(devices, 'virt-serial0-log')
  await writeFile(log, `${'old line\n'.repeat(2000)}login: `)
  const webSocket = open('console?replay=true')
  const first = new Promise<string>((resolve) => webSocket.once('message', (data: Buffer) => resolve(data.toString())))
  await opened(webSocket)
  expect(await first).toBe(`${'old line\n'.repeat(23)}login: `)
  webSocket.close()

  await rm(log)
  await symlink('/etc/passwd', log)
  await expect(opened(open('console?replay=true'))).rejects.toThrow('500')
})

test('each USB stream takes a free slot, until none is left', async () => {
  const slots = await Promise.all(
    [0, 1, 2, 3].map(async (slot) => {
      const server = createServer((socket) => void socket.on('error', () => socket.destroy()).write(`slot ${slot}`))
      await new Promise<void>((resolve) => server.listen(join(devices, `virt-usbredir-${slot}`), resolve))
      return server
    }),
  )
  const greeting = (webSocket: WebSocket) =>
    new Promise<string>((resolve) => webSocket.once('message', (data: Buffer) => resolve(data.toString())))
  const streams: WebSocket[] = []
  for (const slot of slots.keys()) {
    streams.push(open('usbredir'))
    expect(await greeting(streams.at(-1)!)).toBe(`slot ${slot}`)
  }
  await expect(opened(open('usbredir'))).rejects.toThrow('503')
  const over = ended(streams[2]!)
  streams[2]!.close()
  await over
  streams[2] = open('usbredir')
  expect(await greeting(streams[2])).toBe('slot 2')
  for (const stream of streams) stream.terminate()
  for (const slot of slots) slot.close()
})

test('only virt-api gets in', async () => {
  await expect(opened(open('console', stranger))).rejects.toThrow('401')
  await expect(call('PUT', path('pause'), stranger)).resolves.toMatchObject({ status: 401 })
  await expect(call('PUT', path('pause'), { cert: '', key: '' })).rejects.toThrow()
  expect(launcher.calls).toEqual([])
})

test('calls reach the launcher', async () => {
  expect(await call('PUT', path('pause'))).toMatchObject({ status: 202 })
  expect(await call('PUT', path('softreboot'))).toMatchObject({ status: 202 })
  expect(await call('GET', path('guestosinfo'))).toEqual({ status: 200, body: '{"hostname":"vm"}' })
  expect(launcher.calls).toEqual(['pauseVirtualMachine', 'softRebootVirtualMachine', 'getGuestInfo'])
})

test.each([
  ['GET', path('pause'), 404],
  ['PUT', path('explode'), 404],
  ['PUT', path('pause', 'other'), 404],
  ['PUT', '/v1/namespaces/default/virtualmachineinstances/../pause', 404],
  ['GET', '/', 404],
])('%s %s is refused with %i', async (method, where, status) => {
  expect(await call(method, where)).toMatchObject({ status })
})
