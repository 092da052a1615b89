import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { api, interrupt, start, terminal, until, virtctl, vms } from './command-line.ts'

describe('port-forward', () => {
  test('a local connection reaches the port of the guest, both ways', async () => {
    api.onStream = (socket) => socket.on('message', (data) => socket.send(`echo ${(data as Buffer).toString()}`))
    const used = terminal()
    const ended = start(used, 'port-forward', 'vm/a/other', '0:80')
    await until(() => used.err().includes('forwarding'))
    const local = connect(Number(/127\.0\.0\.1:(\d+)/.exec(used.err())![1]), '127.0.0.1')
    local.write('hello')
    expect(String((await once(local, 'data'))[0])).toBe('echo hello')
    expect(api.seen[0]!.path).toBe(`${vms.replace('/n/', '/other/')}/a/portforward/80/tcp`)
    local.destroy()
    interrupt.abort()
    expect(await ended).toBe(0)
  })

  test('a local connection that keeps its own end open when the guest hangs up is closed', async () => {
    api.onStream = (socket) => {
      socket.send('the last of it')
      socket.close()
    }
    const used = terminal()
    const ended = start(used, 'port-forward', 'vm/a', '0:80')
    await until(() => used.err().includes('forwarding'))
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(used.err())![1])
    const local = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    expect(String((await once(local, 'data'))[0])).toBe('the last of it')
    await once(local, 'end')
    // Only a connection that is closed on the other side refuses what is written.
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    local.on('error', () => undefined).once('close', () => resolve())
    const writing = setInterval(() => local.write('still here'), 10)
    await closed
    clearInterval(writing)
    interrupt.abort()
    expect(await ended).toBe(0)
  })

  test('--stdio carries standard input and output, as ssh wants it', async () => {
    api.onStream = (socket) => {
      socket.send('SSH-2.0-guest\n')
      socket.once('message', () => socket.close())
    }
    const used = terminal()
    const ended = start(used, 'port-forward', '--stdio=true', 'vmi/a', '22')
    await until(() => used.out() === 'SSH-2.0-guest\n')
    used.stdin.write('bye')
    expect(await ended).toBe(0)
  })

  test('--stdio ends when it is interrupted, whatever the guest says', async () => {
    api.onStream = (socket) => {
      socket.send('SSH-2.0-guest\n')
      socket.pause()
    }
    const used = terminal()
    const ended = start(used, 'port-forward', '--stdio=true', 'vmi/a', '22')
    await until(() => used.out() === 'SSH-2.0-guest\n')
    interrupt.abort()
    expect(await ended).toBe(0)
  })

  test.each([
    ['a kind that has no ports', ['pod/a', '80'], /unsupported resource kind 'pod'/],
    ['a target without a name', ['vm/', '80'], /target 'vm\/' is not complete/],
    ['a port that is none', ['vm/a', 'http'], /port 'http' can not be read/],
    ['two ports on standard input', ['vm/a', '80', '81', '--stdio'], /only one port supported/],
  ])('%s is refused', async (_, argv, message) => {
    expect(await virtctl('port-forward', ...argv)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
    expect(api.seen).toEqual([])
  })
})
