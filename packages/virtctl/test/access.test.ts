import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { answer, api, objects, sent, start, terminal, virtctl } from './command-line.ts'

describe('expose', () => {
  const interfaces = [{ name: 'default', ports: [{ name: 'web', port: 80 }] }]
  const spec = { domain: { devices: { interfaces } }, networks: [{ name: 'default', pod: {} }] }
  const vm = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'a', uid: 'u' },
    spec: { template: { spec } },
  }
  const services = '/api/v1/namespaces/n/services'

  test('a service leads to the ports that the machine names, and goes with it', async () => {
    answer(`GET ${objects}/virtualmachines/a`, vm)
    answer(`POST ${services}`, {}, 201)
    expect(await virtctl('expose', 'vm', 'a', '--name=web')).toMatchObject({
      code: 0,
      out: 'Service web successfully created for vm a\n',
    })
    expect(sent().body).toMatchObject({
      metadata: {
        name: 'web',
        ownerReferences: [{ kind: 'VirtualMachine', uid: 'u', controller: true, blockOwnerDeletion: false }],
      },
      spec: {
        type: 'ClusterIP',
        selector: { 'vmi.kubevirt.io/id': 'a' },
        ports: [{ name: 'web', port: 80, protocol: 'TCP' }],
      },
    })
  })

  test('a port of one’s own is taken before', async () => {
    answer(`GET ${objects}/virtualmachines/a`, vm)
    answer(`POST ${services}`, {}, 201)
    await virtctl('expose', 'vm', 'a', '--name=web', '--port=8080', '--target-port=web', '--type=NodePort')
    expect(sent().body).toMatchObject({
      spec: { type: 'NodePort', ports: [{ port: 8080, targetPort: 'web', protocol: 'TCP' }] },
    })
  })

  test.each([
    [['expose', 'vm', 'a'], /"name" not set/],
    [['expose', 'pod', 'a', '--name=web'], /unsupported resource type: pod/],
    [['expose', 'vm', 'a', '--name=web', '--type=Magic'], /--type: Magic is not known/],
  ])('%j is refused', async (argv, message) => {
    answer(`GET ${objects}/virtualmachines/a`, vm)
    expect(await virtctl(...argv)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
  })
})

describe('ssh and scp', () => {
  let folder: string
  const oldPath = process.env['PATH']

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'virtctl-ssh-'))
    for (const name of ['ssh', 'scp']) {
      writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/arguments\nexit 7\n`)
      chmodSync(join(folder, name), 0o755)
    }
    process.env['PATH'] = `${folder}:${oldPath}`
  })
  afterEach(() => {
    process.env['PATH'] = oldPath
    rmSync(folder, { recursive: true })
  })
  const given = () => readFileSync(join(folder, 'arguments'), 'utf8').trimEnd().split('\n')

  test('a target with a dot is the name of its machine, or else the old form with a namespace, with a warning', async () => {
    answer(`GET ${objects}/virtualmachines/my.vm`, {})
    await virtctl('ssh', 'alice@vm/my.vm')
    expect(given().at(-1)).toBe('alice@vm.my.vm.n')
    const { err } = await virtctl('ssh', 'alice@vm/a.other')
    expect(given().at(-1)).toBe('alice@vm.a.other')
    expect(err).toMatch(/deprecated; write kind.a.other/)
  })

  test('the local ssh goes through port-forward, and its exit code is ours', async () => {
    const { code } = await virtctl('ssh', 'alice@vm/a', '-i=key', '-t=-o StrictHostKeyChecking=no', '-c', 'uname -a')
    expect(code).toBe(7)
    const [, proxy, , hosts, ...rest] = given()
    expect(proxy).toMatch(/^ProxyCommand=.* --kubeconfig=.* --server=http.* port-forward --stdio=true vm\/a\/n 22$/)
    expect(hosts).toMatch(/^UserKnownHostsFile=.*kubevirt_known_hosts$/)
    expect(rest).toEqual(['-i', 'key', '-o', 'StrictHostKeyChecking=no', 'alice@vm.a.n', 'uname -a'])
  })

  test('the local scp gets files of both sides', async () => {
    await virtctl('scp', '-r', 'logs', 'alice@vmi/a/other:logs')
    expect(given().at(0)).toBe('-r')
    expect(given().slice(-2)).toEqual(['logs', 'alice@vmi.a.other:logs'])
  })

  test('two places here, or two there, are refused', async () => {
    expect(await virtctl('scp', 'a', 'b')).toMatchObject({ code: 1, err: expect.stringMatching(/exactly one of/) })
  })
})

describe('usbredir', () => {
  test('--no-launch joins a client of the user’s own with the guest', async () => {
    api.onStream = (socket) => socket.send('usb hello')
    const used = terminal()
    const ended = start(used, 'usbredir', 'a', '--no-launch')
    const [line] = (await once(used.stdout, 'data')) as [Buffer]
    const client = connect((JSON.parse(line.toString()) as { port: number }).port, '127.0.0.1')
    const [greeting] = (await once(client, 'data')) as [Buffer]
    client.destroy()
    expect({ greeting: greeting.toString(), code: await ended }).toEqual({ greeting: 'usb hello', code: 0 })
  })

  test.each(['stick', '46f4', '1.3'])('%s is no device', async (device) => {
    expect(await virtctl('usbredir', device, 'a')).toMatchObject({ code: 1, err: expect.stringContaining('46f4:0001') })
  })
})
