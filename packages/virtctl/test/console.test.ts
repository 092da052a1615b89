import { describe, expect, test } from '@jest/globals'
import type { WebSocket } from 'ws'
import { api, interrupt, start, terminal, until, virtctl, vmis } from './command-line.ts'

describe('console', () => {
  const path = `UPGRADE ${vmis}/a/console`

  test('keys go to the guest and its output to the terminal, until Ctrl+]', async () => {
    api.onStream = (socket) => {
      socket.send('login: ')
      socket.on('message', (data) => socket.send(`[${(data as Buffer).toString()}]`))
    }
    const used = terminal(true)
    const ended = start(used, 'console', 'a')
    await until(() => used.out().includes('login: '))
    used.stdin.write('root')
    await until(() => used.out().includes('[root]'))
    used.stdin.write(Buffer.from([29]))
    expect(await ended).toBe(0)
    expect(used.err()).toBe('Successfully connected to a console. Press Ctrl+] or Ctrl+5 to exit console.\n')
    expect(used.raw).toEqual([true, false])
  })

  test('a console that is not there yet is waited for, with the reason, until Ctrl+C', async () => {
    const used = terminal()
    const body = { kind: 'Status', code: 400, message: 'VMI is not running' }
    api.answers.set(path, { status: 400, body })
    const ended = start(used, 'console', 'a')
    await until(() => used.err() === 'Waiting for the console of a: VMI is not running. Ctrl+C gives up.\n')
    interrupt.abort()
    expect(await ended).toBe(130)
  })

  test('a console that the other side closes says what may be the reason', async () => {
    api.onStream = (socket) => socket.close()
    const used = terminal()
    expect(await start(used, 'console', 'a')).toBe(0)
    expect(used.err()).toMatch(/You were disconnected from the console/)
  })

  const guest = 'GET /apis/kubevirt.io/v1/namespaces/n/virtualmachineinstances/a'

  test('a console that is lost on the way comes back by itself while the guest runs, and says so', async () => {
    const streams: WebSocket[] = []
    api.onStream = (socket) => void streams.push(socket)
    api.answers.set(guest, { status: 200, body: { metadata: { name: 'a' }, status: { phase: 'Running' } } })
    const used = terminal()
    const ended = start(used, 'console', 'a')
    await until(() => streams.length === 1)
    streams[0]!.terminate()
    await until(() => streams.length === 2)
    streams[1]!.on('message', (data) => streams[1]!.send(`[${(data as Buffer).toString()}]`))
    used.stdin.write('ls')
    await until(() => used.out() === '[ls]')
    expect(used.err()).toMatch(/was lost; the VM still runs.*\n.*Connected again/s)
    streams[1]!.close()
    expect(await ended).toBe(0)
  })

  test('a console comes back also when the API server hangs up on the first try', async () => {
    const streams: WebSocket[] = []
    api.onStream = (socket) => void streams.push(socket)
    api.answers.set(guest, { status: 200, body: { metadata: { name: 'a' }, status: { phase: 'Running' } } })
    const used = terminal()
    const ended = start(used, 'console', 'a')
    await until(() => streams.length === 1)
    api.hangUps = 1
    streams[0]!.terminate()
    await until(() => streams.length === 2)
    streams[1]!.close()
    expect(await ended).toBe(0)
    expect(used.err()).toMatch(/Connected again/)
  })

  test('a server that hangs up on the first console of all is no server to wait for', async () => {
    api.hangUps = 1
    expect(await virtctl('console', 'a')).toMatchObject({ code: 1, err: expect.stringMatching(/Can't access VMI a/) })
  })

  test('a console that somebody else took stays with them', async () => {
    api.onStream = (socket) => socket.close(4001)
    const used = terminal()
    expect(await start(used, 'console', 'a')).toBe(0)
    expect(used.err()).toMatch(/another user connected to it/)
    expect(api.seen.filter(({ method }) => method === 'UPGRADE')).toHaveLength(1)
  })

  test('a console that is lost with its guest is not waited for', async () => {
    api.onStream = (socket) => socket.terminate()
    api.answers.set(guest, { status: 200, body: { metadata: { name: 'a' }, status: { phase: 'Succeeded' } } })
    const used = terminal()
    expect(await start(used, 'console', 'a')).toBe(0)
    expect(used.err()).toMatch(/You were disconnected/)
  })

  test('a terminal is shown the last screen first, a script is not', async () => {
    api.onStream = (socket) => socket.close()
    for (const isTTY of [true, false]) {
      const used = terminal()
      Object.assign(used.stdout, { isTTY })
      await start(used, 'console', 'a')
    }
    const paths = api.seen.map((seen) => seen.path)
    expect(paths).toEqual([`${vmis}/a/console?replay=true`, `${vmis}/a/console`])
  })

  test('an instance that does not run yet is waited for', async () => {
    api.answers.set(path, { status: 400, body: { kind: 'Status', code: 400, message: 'VMI is not running' } })
    api.onStream = (socket) => socket.close()
    const used = terminal()
    const ended = start(used, 'console', 'a', '--timeout', '1')
    await until(() => api.seen.length === 1)
    api.answers.delete(path)
    expect(await ended).toBe(0)
    expect(used.err()).toMatch(/Successfully connected/)
  })

  test('an instance without a console is refused at once', async () => {
    api.answers.set(path, {
      status: 400,
      body: { kind: 'Status', code: 400, message: 'No serial consoles are present.' },
    })
    expect(await virtctl('console', 'a')).toMatchObject({ code: 1, err: expect.stringMatching(/No serial consoles/) })
    expect(api.seen.filter(({ method }) => method === 'UPGRADE')).toHaveLength(1)
  })
})
