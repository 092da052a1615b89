import { Socket, connect } from 'node:net'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { WebSocket } from 'ws'
import { programName, run } from '../src/root.ts'
import { fakeApi } from './fake-api.ts'
import type { FakeApi } from './fake-api.ts'

const vms = '/apis/subresources.kubevirt.io/v1/namespaces/n/virtualmachines'
const vmis = '/apis/subresources.kubevirt.io/v1/namespaces/n/virtualmachineinstances'

let api: FakeApi
let interrupt: AbortController
beforeEach(async () => {
  api = await fakeApi()
  interrupt = new AbortController()
  process.env['KUBECONFIG'] = ''
})
afterEach(async () => {
  interrupt.abort()
  await api.close()
})

function collected(stream: PassThrough): () => string {
  let text = ''
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return () => text
}

/** A terminal whose keyboard is `stdin`. */
function terminal(isTTY = false) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const raw: boolean[] = []
  Object.assign(stdin, { isTTY, setRawMode: (on: boolean) => raw.push(on) })
  return { stdin, stdout, stderr, raw, out: collected(stdout), err: collected(stderr) }
}

/** A command line with the flags that lead to the fake API server. */
async function virtctl(...argv: string[]) {
  const used = terminal()
  const cluster = ['--kubeconfig', kubeconfig, '--server', api.url, '--token', 'secret', '-n', 'n']
  const code = await run([...argv, ...cluster], 'virtctl', used, interrupt.signal)
  return { code, out: used.out(), err: used.err() }
}

const kubeconfig = new URL('data/kubeconfig.yaml', import.meta.url).pathname

describe('VM commands', () => {
  test.each([
    ['start', ['start', 'a'], {}, 'VM a was scheduled to start\n'],
    ['start --paused', ['start', 'a', '--paused'], { paused: true }, 'VM a was scheduled to start\n'],
    ['stop', ['stop', 'a'], {}, 'VM a was scheduled to stop\n'],
    [
      'stop --force',
      ['stop', 'a', '--force=true', '--grace-period=0'],
      { gracePeriod: 0 },
      'VM a was scheduled to stop\n',
    ],
    [
      'restart --force',
      ['restart', 'a', '--force', '--grace-period', '0'],
      { gracePeriodSeconds: 0 },
      'VM a was scheduled to restart\n',
    ],
    [
      'start --dry-run',
      ['start', 'a', '--dry-run'],
      { dryRun: ['All'] },
      'Dry Run execution\nVM a was scheduled to start\n',
    ],
  ])('%s puts its options and says what was done', async (_, argv, body, out) => {
    const path = `${vms}/a/${argv[0]}`
    api.answers.set(`PUT ${path}`, { status: 202 })
    expect(await virtctl(...argv)).toEqual({ code: 0, out, err: '' })
    expect(api.seen).toEqual([{ method: 'PUT', path, body, authorization: 'Bearer secret' }])
  })

  test('a refusal is told in the server’s words, with exit code 1', async () => {
    api.answers.set(`PUT ${vms}/a/start`, { status: 409, body: { message: 'VM is already running' } })
    expect(await virtctl('start', 'a')).toEqual({
      code: 1,
      out: '',
      err: 'Error starting VirtualMachine VM is already running\n',
    })
  })

  test.each([['--force'], ['--grace-period=0']])('%s alone is refused without asking the server', async (flag) => {
    expect(await virtctl('stop', 'a', flag)).toMatchObject({
      code: 1,
      err: 'Must both use --force=true and set --grace-period.\n',
    })
    expect(api.seen).toEqual([])
  })

  test('pausing a VM looks for the VM first, then pauses its guest', async () => {
    api.answers.set('GET /apis/kubevirt.io/v1/namespaces/n/virtualmachines/a', { status: 200, body: {} })
    api.answers.set(`PUT ${vmis}/a/pause`, { status: 200 })
    expect(await virtctl('pause', 'vm', 'a')).toEqual({ code: 0, out: 'VMI a was scheduled to pause\n', err: '' })
  })

  test('guest information is printed as indented JSON', async () => {
    api.answers.set(`GET ${vmis}/a/guestosinfo`, { status: 200, body: { hostname: 'a' } })
    expect((await virtctl('guestosinfo', 'a')).out).toBe('{\n  "hostname": "a"\n}\n')
  })
})

describe('usage', () => {
  test('a missing argument, an unknown command and an unknown flag exit with 1 and say so', async () => {
    expect(await virtctl('start')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/missing required argument 'vm'/),
    })
    expect(await virtctl('fly')).toMatchObject({ code: 1, err: expect.stringMatching(/unknown command 'fly'/) })
    expect(await virtctl('start', 'a', '--fast')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/unknown option '--fast'/),
    })
  })

  test('no command at all, and the first word of some alone, show what there is', async () => {
    for (const [argv, listed] of [
      [[], /\n {2}start +Start a virtual machine/],
      [['create'], /\n {2}instancetype/],
      [['adm'], /log-verbosity/],
    ] as const) {
      const used = terminal()
      expect(await run(argv, 'virtctl', used, interrupt.signal)).toBe(0)
      expect(used.out()).toMatch(listed)
    }
  })

  test('a refusal is told in the server’s words, without addresses', async () => {
    const path = '/apis/kubevirt.io/v1/namespaces/n/virtualmachineinstances/a'
    api.answers.set(`GET ${path}`, { status: 404, body: { kind: 'Status', code: 404, message: '"a" not found' } })
    expect(await virtctl('evacuate-cancel', 'vm', 'a')).toEqual({
      code: 1,
      out: '',
      err: 'Error getting VirtualMachineInstance a: "a" not found\n',
    })
  })

  test('help has examples under the name that the program was called by', async () => {
    const used = terminal()
    expect(await run(['start', '--help'], 'kubectl virt', used, interrupt.signal)).toBe(0)
    expect(used.out()).toMatch(/kubectl virt start myvm --paused/)
  })

  test.each([
    ['/usr/bin/virtctl', 'virtctl'],
    ['/usr/local/bin/kubectl-virt', 'kubectl virt'],
    ['/somewhere/main.ts', 'virtctl'],
  ])('called as %s it is %s', (path, name) => expect(programName(path)).toBe(name))
})

describe('version', () => {
  test('prints both, in the form that scripts know', async () => {
    api.answers.set('GET /apis/subresources.kubevirt.io/v1/version', { status: 200, body: { gitVersion: 'v1.9.0' } })
    const { out } = await virtctl('version')
    expect(out).toMatch(/^Client Version: version\.Info\{GitVersion:"v1\.9\.0\+kubevirt-ts/)
    expect(out).toMatch(/\nServer Version: version\.Info\{GitVersion:"v1\.9\.0", /)
  })

  test('a cluster without KubeVirt is told as such', async () => {
    expect(await virtctl('version')).toMatchObject({ code: 1, err: expect.stringMatching(/is KubeVirt installed/) })
  })
})

describe('console', () => {
  const cluster = () => ['--kubeconfig', kubeconfig, '--server', api.url, '-n', 'n']
  const path = `UPGRADE ${vmis}/a/console`

  test('keys go to the guest and its output to the terminal, until Ctrl+]', async () => {
    api.onStream = (socket) => {
      socket.send('login: ')
      socket.on('message', (data) => socket.send(`[${(data as Buffer).toString()}]`))
    }
    const used = terminal(true)
    const ended = run(['console', 'a', ...cluster()], 'virtctl', used, interrupt.signal)
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
    const stop = new AbortController()
    const body = { kind: 'Status', code: 400, message: 'VMI is not running' }
    api.answers.set(path, { status: 400, body })
    const ended = run(['console', 'a', ...cluster()], 'virtctl', used, stop.signal)
    await until(() => used.err() === 'Waiting for the console of a: VMI is not running. Ctrl+C gives up.\n')
    stop.abort()
    expect(await ended).toBe(130)
  })

  test('a console that the other side closes says what may be the reason', async () => {
    api.onStream = (socket) => socket.close()
    const used = terminal()
    expect(await run(['console', 'a', ...cluster()], 'virtctl', used, interrupt.signal)).toBe(0)
    expect(used.err()).toMatch(/You were disconnected from the console/)
  })

  const guest = 'GET /apis/kubevirt.io/v1/namespaces/n/virtualmachineinstances/a'

  test('a console that is lost on the way comes back by itself while the guest runs, and says so', async () => {
    const streams: WebSocket[] = []
    api.onStream = (socket) => void streams.push(socket)
    api.answers.set(guest, { status: 200, body: { metadata: { name: 'a' }, status: { phase: 'Running' } } })
    const used = terminal()
    const ended = run(['console', 'a', ...cluster()], 'virtctl', used, interrupt.signal)
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

  test('a console that somebody else took stays with them', async () => {
    api.onStream = (socket) => socket.close(4001)
    const used = terminal()
    expect(await run(['console', 'a', ...cluster()], 'virtctl', used, interrupt.signal)).toBe(0)
    expect(used.err()).toMatch(/another user connected to it/)
    expect(api.seen.filter(({ method }) => method === 'UPGRADE')).toHaveLength(1)
  })

  test('a console that is lost with its guest is not waited for', async () => {
    api.onStream = (socket) => socket.terminate()
    api.answers.set(guest, { status: 200, body: { metadata: { name: 'a' }, status: { phase: 'Succeeded' } } })
    const used = terminal()
    expect(await run(['console', 'a', ...cluster()], 'virtctl', used, interrupt.signal)).toBe(0)
    expect(used.err()).toMatch(/You were disconnected/)
  })

  test('a terminal is shown the last screen first, a script is not', async () => {
    api.onStream = (socket) => socket.close()
    for (const isTTY of [true, false]) {
      const used = terminal()
      Object.assign(used.stdout, { isTTY })
      await run(['console', 'a', ...cluster()], 'virtctl', used, interrupt.signal)
    }
    const paths = api.seen.map((seen) => seen.path)
    expect(paths).toEqual([`${vmis}/a/console?replay=true`, `${vmis}/a/console`])
  })

  test('an instance that does not run yet is waited for', async () => {
    api.answers.set(path, { status: 400, body: { kind: 'Status', code: 400, message: 'VMI is not running' } })
    api.onStream = (socket) => socket.close()
    const used = terminal()
    const ended = run(['console', 'a', '--timeout', '1', ...cluster()], 'virtctl', used, interrupt.signal)
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

test('vnc --proxy-only prints its port and joins a viewer with the screen', async () => {
  api.onStream = (socket) => {
    socket.send('RFB 003.008\n')
    socket.once('message', () => socket.close())
  }
  const used = terminal()
  const argv = [
    'vnc',
    'a',
    '--proxy-only',
    '--preserve-session',
    '--kubeconfig',
    kubeconfig,
    '--server',
    api.url,
    '-n',
    'n',
  ]
  const ended = run(argv, 'virtctl', used, interrupt.signal)
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
  const cluster = () => ['--kubeconfig', kubeconfig, '--server', api.url, '-n', 'n']

  /** A client that has read the first bytes. */
  const clientOf = async (command: readonly string[]) => {
    api.onStream = (socket) => {
      socket.send('hello')
      socket.pause()
    }
    const used = terminal()
    const ended = run([...command, ...cluster()], 'virtctl', used, interrupt.signal)
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

describe('port-forward', () => {
  const cluster = () => ['--kubeconfig', kubeconfig, '--server', api.url, '-n', 'n']

  test('a local connection reaches the port of the guest, both ways', async () => {
    api.onStream = (socket) => socket.on('message', (data) => socket.send(`echo ${(data as Buffer).toString()}`))
    const used = terminal()
    const ended = run(['port-forward', 'vm/a/other', '0:80', ...cluster()], 'virtctl', used, interrupt.signal)
    await until(() => used.err().includes('forwarding'))
    const local = connect(Number(/127\.0\.0\.1:(\d+)/.exec(used.err())![1]), '127.0.0.1')
    local.write('hello')
    expect(String((await once(local, 'data'))[0])).toBe('echo hello')
    expect(api.seen[0]!.path).toBe(`${vms.replace('/n/', '/other/')}/a/portforward/80/tcp`)
    local.destroy()
    interrupt.abort()
    expect(await ended).toBe(0)
  })

  test('--stdio carries standard input and output, as ssh wants it', async () => {
    api.onStream = (socket) => {
      socket.send('SSH-2.0-guest\n')
      socket.once('message', () => socket.close())
    }
    const used = terminal()
    const ended = run(['port-forward', '--stdio=true', 'vmi/a', '22', ...cluster()], 'virtctl', used, interrupt.signal)
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
    const ended = run(['port-forward', '--stdio=true', 'vmi/a', '22', ...cluster()], 'virtctl', used, interrupt.signal)
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

/** Waits for what another party is about to do. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

describe('render', () => {
  const machine = (evictionStrategy: string) =>
    JSON.stringify({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: { name: 'web' },
      spec: { evictionStrategy, domain: { memory: { guest: '128Mi' }, devices: {} } },
    })

  /** Runs `render` on a file with the text. */
  async function rendered(text: string, ...flags: string[]) {
    const folder = mkdtempSync(join(tmpdir(), 'virtctl-'))
    const file = join(folder, 'vmi.json')
    writeFileSync(file, text)
    try {
      const used = terminal()
      const code = await run(['render', file, ...flags], 'virtctl', used, interrupt.signal)
      return { code, out: used.out(), err: used.err() }
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  test('prints the domain without asking a cluster', async () => {
    const { code, out, err } = await rendered(machine('None'), '--output', 'domain')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('<name>default_web</name>')
    expect(api.seen).toEqual([])
  })

  test('tells a refusal by its exit code', async () => {
    const { code, out } = await rendered(machine('Never'), '-o', 'admission')
    expect(code).toBe(2)
    expect(JSON.parse(out)).toMatchObject({ allowed: false, causes: [{ field: 'spec.evictionStrategy' }] })
  })

  test('a broken file or flag is told', async () => {
    expect(await rendered('a: [')).toMatchObject({ code: 1, out: '' })
    expect(await rendered(machine('None'), '-o', 'svg')).toMatchObject({ code: 1, out: '' })
  })
})
