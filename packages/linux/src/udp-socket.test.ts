import { createSocket } from 'node:dgram'
import { expect, test } from '@jest/globals'
import { udpSocketOnDevice } from './index.ts'

test('a socket on the loopback device receives what is sent to its port', async () => {
  const server = createSocket('udp4')
  const listening = new Promise((resolve) => server.once('listening', resolve))
  server.bind({ fd: udpSocketOnDevice('lo', 0) })
  await listening
  const received = new Promise<Buffer>((resolve) => server.once('message', resolve))
  const client = createSocket('udp4')

  client.send('hello', server.address().port, '127.0.0.1')

  expect((await received).toString()).toBe('hello')
  client.close()
  server.close()
})

test('a device that does not exist is an error that names it', () => {
  expect(() => udpSocketOnDevice('nodev0', 6767)).toThrow('setsockopt nodev0: ENODEV')
})
