import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { api, interrupt, start, terminal, until, vmis } from './command-line.ts'

test('vnc --proxy-only prints its port and joins a viewer with the screen', async () => {
  api.onStream = (socket) => {
    socket.send('RFB 003.008\n')
    socket.once('message', () => socket.close())
  }
  const used = terminal()
  const ended = start(used, 'vnc', 'a', '--proxy-only', '--preserve-session')
  await until(() => used.out().endsWith('}\n'))
  const viewer: Socket = connect((JSON.parse(used.out()) as { port: number }).port, '127.0.0.1')
  const [banner] = (await once(viewer, 'data')) as [Buffer]
  expect(banner.toString()).toBe('RFB 003.008\n')
  viewer.write('RFB 003.008\n')
  await once(viewer, 'close')
  expect(await ended).toBe(0)
  expect(api.seen[0]!.path).toBe(`${vmis}/a/vnc?preserveSession=true`)
})

describe('a far side that says nothing to a client that leaves', () => {
  /** A client that has read the first bytes. */
  const clientOf = async (command: readonly string[]) => {
    api.onStream = (socket) => {
      socket.send('hello')
      socket.pause()
    }
    const used = terminal()
    const ended = start(used, ...command)
    await until(() => used.out().endsWith('}\n'))
    const client: Socket = connect((JSON.parse(used.out()) as { port: number }).port, '127.0.0.1')
    await once(client, 'data')
    return { client, ended }
  }

  const commands = [
    ['vnc', 'a', '--proxy-only'],
    ['usbredir', 'a', '--no-launch'],
  ]

  test.each(commands)('does not keep %s', async (...command) => {
    const { client, ended } = await clientOf(command)
    client.end()
    expect(await ended).toBe(0)
  })

  test.each(commands)('does not keep %s from ending when it is interrupted', async (...command) => {
    const { client, ended } = await clientOf(command)
    interrupt.abort()
    expect(await ended).toBe(0)
    client.destroy()
  })
})

describe('a client that keeps its own end open when it is hung up on', () => {
  test.each([
    ['vnc', 'a', '--proxy-only'],
    ['usbredir', 'a', '--no-launch'],
  ])('does not keep %s', async (...command) => {
    api.onStream = (socket) => {
      socket.send('the last of it')
      socket.close()
    }
    const used = terminal()
    const ended = start(used, ...command)
    await until(() => used.out().endsWith('}\n'))
    const { port } = JSON.parse(used.out()) as { port: number }
    const client: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const [heard] = (await once(client, 'data')) as [Buffer]
    expect(await ended).toBe(0)
    expect(heard.toString()).toBe('the last of it')
    client.destroy()
  })
})
