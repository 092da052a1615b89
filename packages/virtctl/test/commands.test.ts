import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { run } from '../src/root.ts'
import { fakeApi } from './fake-api.ts'
import type { FakeApi } from './fake-api.ts'

const vms = '/apis/subresources.kubevirt.io/v1/namespaces/n/virtualmachines'
const vmis = '/apis/subresources.kubevirt.io/v1/namespaces/n/virtualmachineinstances'
const objects = '/apis/kubevirt.io/v1/namespaces/n'
const kubeconfig = new URL('data/kubeconfig.yaml', import.meta.url).pathname

let api: FakeApi
beforeEach(async () => {
  api = await fakeApi()
  process.env['KUBECONFIG'] = ''
})
afterEach(() => api.close())

function collected(stream: PassThrough): () => string {
  let text = ''
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return () => text
}

/** Runs a command line against the fake API server. */
async function virtctl(...argv: string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const [out, err] = [collected(stdout), collected(stderr)]
  const cluster = ['--kubeconfig', kubeconfig, '--server', api.url, '-n', 'n']
  const code = await run([...argv, ...cluster], 'virtctl', { stdin, stdout, stderr }, new AbortController().signal)
  return { code, out: out(), err: err() }
}

const answer = (request: string, body?: unknown, status = 200) => api.answers.set(request, { status, body })
const sent = () => api.seen.at(-1)!

describe('migration', () => {
  test('migrate names the labels that the next node must have', async () => {
    answer(`PUT ${vms}/a/migrate`, undefined, 202)
    expect(await virtctl('migrate', 'a', '--addedNodeSelector', 'zone=b,disk=fast')).toMatchObject({
      code: 0,
      out: 'VM a was scheduled to migrate\n',
    })
    expect(sent().body).toEqual({ addedNodeSelector: { zone: 'b', disk: 'fast' } })
  })

  test('migrate-cancel deletes the migration that is not done', async () => {
    const migrations = `${objects}/virtualmachineinstancemigrations`
    const items = [
      { metadata: { name: 'old' }, status: { phase: 'Failed' } },
      { metadata: { name: 'new' }, status: { phase: 'Running' } },
    ]
    answer(`GET ${migrations}?labelSelector=kubevirt.io%2Fvmi-name%3Da`, { items })
    answer(`DELETE ${migrations}/new`, {})
    expect(await virtctl('migrate-cancel', 'a')).toMatchObject({ code: 0 })
    answer(`GET ${migrations}?labelSelector=kubevirt.io%2Fvmi-name%3Da`, { items: items.slice(0, 1) })
    expect(await virtctl('migrate-cancel', 'a')).toMatchObject({ code: 1, err: 'Found no migration to cancel for a\n' })
  })

  test('evacuate-cancel names the node that the guest is on', async () => {
    answer(`GET ${objects}/virtualmachineinstances/a`, { metadata: { name: 'a' }, status: { nodeName: 'node-1' } })
    answer(`PUT ${vms}/a/evacuate/cancel`)
    expect(await virtctl('evacuate-cancel', 'vm', 'a')).toMatchObject({ code: 0 })
    expect(sent().body).toEqual({ evacuationNodeName: 'node-1' })
  })
})

describe('volumes', () => {
  const claim = '/api/v1/namespaces/n/persistentvolumeclaims/data'

  test('addvolume plugs a claim into the VM', async () => {
    answer(`GET ${claim}`, {})
    answer(`PUT ${vms}/a/addvolume`, undefined, 202)
    expect(await virtctl('addvolume', 'a', '--volume-name=data')).toMatchObject({ code: 0 })
    expect(sent().body).toEqual({
      name: 'data',
      disk: { name: 'data', disk: { bus: 'scsi' }, serial: 'data' },
      volumeSource: { persistentVolumeClaim: { claimName: 'data', hotpluggable: true } },
    })
  })

  test('removevolume asks an instance that has no VM itself', async () => {
    answer(`PUT ${vmis}/a/removevolume`, undefined, 202)
    expect(await virtctl('removevolume', 'a', '--volume-name', 'data')).toMatchObject({ code: 0 })
    expect(sent()).toMatchObject({ path: `${vmis}/a/removevolume`, body: { name: 'data' } })
  })

  test.each([
    [['addvolume', 'a'], /required flag\(s\) "volume-name" not set/],
    [['addvolume', 'a', '--volume-name=data'], /neither a DataVolume nor a PersistentVolumeClaim/],
    [['addvolume', 'a', '--volume-name=data', '--disk-type=lun', '--bus=virtio'], /invalid bus virtio for a lun/],
  ])('%j is refused', async (argv, message) => {
    if (argv.length > 3) answer(`GET ${claim}`, {})
    expect(await virtctl(...argv)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
  })
})

describe('create', () => {
  const created = async (...argv: string[]) => {
    const { code, out, err } = await virtctl('create', ...argv)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return parse(out)
  }

  test('a VM boots from its image and is told of its user', async () => {
    const vm = await created('vm', '--name=a', '--volume-containerdisk=src:quay.io/x:v1', '--user=alice', '--ssh-key=k')
    expect(vm).toMatchObject({ kind: 'VirtualMachine', metadata: { name: 'a' }, spec: { runStrategy: 'Always' } })
    expect(vm.spec.template.spec).toEqual({
      domain: { memory: { guest: '512Mi' }, devices: {}, resources: {} },
      terminationGracePeriodSeconds: 180,
      volumes: [
        { name: 'a-containerdisk-1', containerDisk: { image: 'quay.io/x:v1' } },
        {
          name: 'cloudinitdisk',
          cloudInitNoCloud: { userData: '#cloud-config\nuser: alice\nssh_authorized_keys:\n  - k' },
        },
      ],
    })
  })

  test('what is imported may say the instance type; an order of booting is kept', async () => {
    const vm = await created(
      'vm',
      '--volume-import=type:ds,src:i/fedora,name:root',
      '--volume-pvc=src:data,bootorder:1',
    )
    expect(vm.spec.dataVolumeTemplates[0].spec.sourceRef).toEqual({
      kind: 'DataSource',
      namespace: 'i',
      name: 'fedora',
    })
    expect(vm.spec.instancetype).toEqual({ inferFromVolume: 'data', inferFromVolumeFailurePolicy: 'Ignore' })
    expect(vm.spec.template.spec.domain.devices.disks).toEqual([
      { name: 'data', bootOrder: 1, disk: { bus: 'virtio' } },
    ])
  })

  test('a named instance type says the memory; inference can be switched off', async () => {
    const vm = await created(
      'vm',
      '--instancetype=virtualmachineinstancetype/small',
      '--volume-pvc=src:d',
      '--infer-preference=false',
    )
    expect(vm.spec.instancetype).toEqual({ kind: 'VirtualMachineInstancetype', name: 'small' })
    expect(vm.spec.preference).toBeUndefined()
    expect(vm.spec.template.spec.domain.memory).toBeUndefined()
  })

  test('credentials come from secrets', async () => {
    const vm = await created('vm', '--access-cred=type:ssh,src:keys,method:ga,user:alice')
    expect(vm.spec.template.spec.accessCredentials).toEqual([
      {
        sshPublicKey: {
          source: { secret: { secretName: 'keys' } },
          propagationMethod: { qemuGuestAgent: { users: ['alice'] } },
        },
      },
    ])
  })

  test('instance types, preferences and clones', async () => {
    expect(await created('instancetype', '--name=i', '--cpu=2', '--memory=1Gi', '--gpu=devicename:v/g')).toEqual({
      apiVersion: 'instancetype.kubevirt.io/v1beta1',
      kind: 'VirtualMachineClusterInstancetype',
      metadata: { name: 'i' },
      spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' }, gpus: [{ name: 'gpu0', deviceName: 'v/g' }] },
    })
    expect(await created('preference', '--name=p', '--cpu-topology=sockets', '--namespaced')).toMatchObject({
      kind: 'VirtualMachinePreference',
      spec: { cpu: { preferredCPUTopology: 'sockets' } },
    })
    const clone = await created('clone', '--source-name=a', '--new-mac-address=eth0:02:00:00:00:00:01')
    expect(clone.spec).toEqual({
      source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'a' },
      newMacAddresses: { eth0: '02:00:00:00:00:01' },
    })
  })

  test.each([
    [['vm', '--run-strategy=Never'], /invalid RunStrategy "Never"/],
    [['vm', '--volume-import=type:http,url:http://x'], /size must be specified/],
    [['vm', '--volume-import=type:tape'], /type tape is not known/],
    [['vm', '--volume-pvc=colour:blue'], /colour:blue is not known; use src/],
    [['vm', '--infer-instancetype'], /can not be inferred/],
    [['vm', '--cloud-init=cd'], /use nocloud, configdrive or none/],
    [['vm', '--access-cred=type:password,src:s,method:nocloud'], /only be set by method ga/],
    [['instancetype', '--memory=1Gi'], /"cpu" not set/],
    [['clone'], /"source-name" not set/],
  ])('%j is refused', async (argv, message) => {
    expect(await virtctl('create', ...argv)).toMatchObject({ code: 1, out: '', err: expect.stringMatching(message) })
  })
})

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

  test('the local ssh goes through port-forward, and its exit code is ours', async () => {
    const { code } = await virtctl(
      'ssh',
      'alice@vm/a',
      '-i',
      'key',
      '-t',
      '-o StrictHostKeyChecking=no',
      '-c',
      'uname -a',
    )
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

describe('credentials', () => {
  const accessCredentials = [
    {
      sshPublicKey: {
        source: { secret: { secretName: 'keys' } },
        propagationMethod: { qemuGuestAgent: { users: ['alice'] } },
      },
    },
    { userPassword: { source: { secret: { secretName: 'words' } }, propagationMethod: { qemuGuestAgent: {} } } },
  ]
  const secret = (name: string, uid = 'u') => ({
    metadata: { name, ownerReferences: [{ uid }] },
    data: { k: 'c3NoIGE=' },
  })
  const path = (name: string) => `/api/v1/namespaces/n/secrets/${name}`

  beforeEach(() => {
    answer(`GET ${objects}/virtualmachines/a`, {
      metadata: { name: 'a', uid: 'u' },
      spec: { template: { spec: { accessCredentials } } },
    })
    for (const name of ['keys', 'words']) {
      answer(`GET ${path(name)}`, secret(name))
      answer(`PATCH ${path(name)}`, {})
    }
  })

  test('a key is added to the user’s secret, and removed from it', async () => {
    expect(await virtctl('credentials', 'add-ssh-key', 'a', '-u', 'alice', '--value', 'ssh b')).toMatchObject({
      code: 0,
    })
    expect(Object.values((sent().body as { data: object }).data)).toEqual(['c3NoIGI='])
    expect(await virtctl('credentials', 'remove-ssh-key', 'a', '-u', 'alice', '--value', 'ssh a')).toMatchObject({
      code: 0,
    })
    expect(sent().body).toEqual({ data: { k: null } })
  })

  test('a password is set under the user’s name', async () => {
    expect(await virtctl('credentials', 'set-password', 'a', '-u', 'alice', '-p', 'x')).toMatchObject({ code: 0 })
    expect(sent()).toMatchObject({ path: path('words'), body: { data: { alice: 'eA==' } } })
  })

  test('a new secret belongs to the VM and is used by it', async () => {
    answer('POST /api/v1/namespaces/n/secrets', {}, 201)
    answer(`PATCH ${objects}/virtualmachines/a`, {})
    const argv = [
      'credentials',
      'add-ssh-key',
      'a',
      '-u',
      'bob',
      '--value',
      'ssh b',
      '--create-secret',
      '--secret',
      'new',
    ]
    expect(await virtctl(...argv)).toMatchObject({ code: 0 })
    const [{ op }, { value }] = sent().body as [{ op: string }, { value: unknown[] }]
    expect([op, value.length]).toEqual(['test', 3])
  })

  test('a secret of others is only changed by force', async () => {
    answer(`GET ${path('words')}`, secret('words', 'other'))
    const argv = ['credentials', 'set-password', 'a', '-u', 'alice', '-p', 'x']
    expect(await virtctl(...argv)).toMatchObject({ code: 1, err: expect.stringMatching(/owner reference/) })
    expect(await virtctl(...argv, '--force')).toMatchObject({ code: 0 })
  })
})

describe('the KubeVirt resource', () => {
  const permittedHostDevices = {
    pciHostDevices: [{ resourceName: 'v/nic' }],
    mediatedDevices: [{ resourceName: 'v/gpu' }],
  }
  const developerConfiguration = { logVerbosity: { virtAPI: 4 } }
  const list = 'GET /apis/kubevirt.io/v1/kubevirts'

  beforeEach(() => {
    const kubeVirt = {
      metadata: { name: 'k', namespace: 'kubevirt' },
      spec: { configuration: { permittedHostDevices, developerConfiguration } },
    }
    answer(list, { items: [kubeVirt] })
    answer('PATCH /apis/kubevirt.io/v1/namespaces/kubevirt/kubevirts/k', {})
  })

  test('permitted devices are listed, for people and for scripts', async () => {
    expect((await virtctl('permitted-devices')).out).toBe('Host Devices:\n  v/nic\nGPU Devices:\n  v/gpu\n')
    expect(JSON.parse((await virtctl('permitted-devices', '-o', 'json')).out)).toEqual({
      hostDevices: ['v/nic'],
      gpuDevices: ['v/gpu'],
    })
  })

  test('levels of the log are shown', async () => {
    expect((await virtctl('adm', 'log-verbosity', '--virt-api', '--virt-handler')).out).toBe(
      'virt-api = 4\nvirt-handler = 2\n',
    )
  })

  test('levels of the log are set, one before all', async () => {
    expect(await virtctl('adm', 'log-verbosity', '--all=3', '--virt-handler=5')).toMatchObject({ code: 0 })
    const patch = sent().body as { value: unknown }[]
    expect(patch.map(({ value }) => value)).toEqual([
      { virtAPI: 4 },
      { virtAPI: 3, virtController: 3, virtHandler: 5, virtLauncher: 3, virtOperator: 3 },
    ])
  })

  test.each([
    [['adm', 'log-verbosity'], /no flag specified/],
    [['adm', 'log-verbosity', '--all=10'], /must be 0-9/],
    [['adm', 'log-verbosity', '--all=1', '--virt-api'], /only show or set/],
  ])('%j is refused', async (argv, message) => {
    expect(await virtctl(...argv)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
  })

  test('a cluster without KubeVirt is told as such', async () => {
    answer(list, { items: [] })
    expect(await virtctl('permitted-devices')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no KubeVirt resource/),
    })
  })
})

describe('data', () => {
  test('a stored VM is expanded, as YAML unless told', async () => {
    answer(`GET ${vms}/a/expand-spec`, { kind: 'VirtualMachine' })
    expect((await virtctl('expand', '--vm', 'a')).out).toBe('kind: VirtualMachine\n')
    expect((await virtctl('expand', '--vm', 'a', '-o', 'json')).out).toBe('{\n  "kind": "VirtualMachine"\n}\n')
    expect(await virtctl('expand')).toMatchObject({ code: 1, err: expect.stringMatching(/must be provided/) })
  })

  test('a VM in a file is expanded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'virtctl-'))
    writeFileSync(join(folder, 'vm.yaml'), 'kind: VirtualMachine')
    answer('PUT /apis/subresources.kubevirt.io/v1/namespaces/n/expand-vm-spec', { kind: 'VirtualMachine' })
    expect(await virtctl('expand', '-f', join(folder, 'vm.yaml'))).toMatchObject({ code: 0 })
    expect(sent().body).toEqual({ kind: 'VirtualMachine' })
    rmSync(folder, { recursive: true })
  })

  test('an object graph is asked for with its options', async () => {
    answer(`GET ${vms}/a/objectgraph`, { children: [] })
    expect((await virtctl('objectgraph', 'a', '--exclude-optional', '--selector', 'x=y')).out).toBe(
      '{\n  "children": []\n}\n',
    )
    expect(sent().body).toEqual({ includeOptionalNodes: false, labelSelector: { matchLabels: { x: 'y' } } })
  })

  test('guest information also comes as YAML', async () => {
    answer(`GET ${vmis}/a/userlist`, { items: [] })
    expect((await virtctl('userlist', 'a', '-o', 'yaml')).out).toBe('items: []\n')
    expect(await virtctl('userlist', 'a', '-o', 'xml')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/use json or yaml/),
    })
  })

  test('a picture of the screen is saved; a refusal is told', async () => {
    answer(`GET ${vmis}/a/vnc/screenshot?moveCursor=false`, { png: true })
    expect((await virtctl('vnc', 'screenshot', 'a', '--file', '-')).out).toBe('{"png":true}')
    expect(await virtctl('vnc', 'screenshot', 'b', '--file', '-')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/screenshot of VMI b/),
    })
  })
})

test('a failure says when client and server are of different releases', async () => {
  answer(`PUT ${vms}/a/migrate`, { message: 'VM is not running' }, 409)
  answer('GET /apis/subresources.kubevirt.io/v1/version', { gitVersion: 'v1.2.0' })
  const { code, err } = await virtctl('migrate', 'a')
  expect(code).toBe(1)
  expect(err).toMatch(
    /different from the KubeVirt version.*\nClient Version: v1\.9.*\nServer Version: v1\.2\.0\nError migrating/,
  )
  answer('GET /apis/subresources.kubevirt.io/v1/version', { gitVersion: 'v1.9.3' })
  expect((await virtctl('migrate', 'a')).err).toMatch(/^Error migrating/)
})

test('versions also come as data', async () => {
  answer('GET /apis/subresources.kubevirt.io/v1/version', { gitVersion: 'v1.9.0' })
  expect(JSON.parse((await virtctl('version', '-o', 'json')).out)).toMatchObject({
    clientVersion: { compiler: 'v8' },
    serverVersion: { gitVersion: 'v1.9.0' },
  })
})

describe('completion', () => {
  test.each(['bash', 'zsh', 'fish'])('%s is told commands and flags', async (shell) => {
    const { out } = await virtctl('completion', shell)
    expect(out).toMatch(/add-ssh-key/)
    expect(out).toMatch(/grace-period/)
  })

  test('another shell is refused', async () => {
    expect(await virtctl('completion', 'tcsh')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/use bash, zsh or fish/),
    })
  })
})

describe('memory-dump', () => {
  const vm = `GET ${objects}/virtualmachines/a`
  const done = { status: { memoryDumpRequest: { claimName: 'c', phase: 'Completed', startTimestamp: 't' } } }

  test('get makes a claim that is large enough, and waits for the dump', async () => {
    answer(`GET ${objects}/virtualmachineinstances/a`, { spec: { domain: { memory: { guest: '924Mi' } } } })
    answer('POST /api/v1/namespaces/n/persistentvolumeclaims', {}, 201)
    answer(vm, {})
    answer(`PUT ${vms}/a/memorydump`, undefined, 202)
    const running = virtctl('memory-dump', 'get', 'a', '--claim-name=c', '--create-claim')
    while (!api.seen.some(({ method }) => method === 'PUT')) await new Promise((resolve) => setImmediate(resolve))
    answer(vm, done)
    expect(await running).toMatchObject({ code: 0 })
    expect(api.seen.find(({ method }) => method === 'POST')!.body).toMatchObject({
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1081Mi' } } },
    })
    expect(api.seen.find(({ method }) => method === 'PUT')!.body).toEqual({ claimName: 'c' })
  })

  test('remove lets go of the claim', async () => {
    answer(`PUT ${vms}/a/removememorydump`, undefined, 202)
    expect(await virtctl('memory-dump', 'remove', 'a')).toMatchObject({ code: 0 })
  })
})

test.each([
  [['vmexport', 'download', 'x', '--vm=a'], /vmexport is not available/],
  [['memory-dump', 'download', 'x'], /memory-dump download is not available/],
])('%j says why it can not be, and what to do', async (argv, message) => {
  expect(await virtctl(...argv)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
})

describe('image-upload', () => {
  let folder: string
  let image: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'upload-'))
    image = join(folder, 'disk.img')
    writeFileSync(image, 'an image')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('a cluster without CDI is told as such', async () => {
    expect(await virtctl('image-upload', 'dv', 'root', '--size=1Gi', '--image-path', image)).toMatchObject({
      code: 1,
      err: expect.stringContaining('CDI is not installed'),
    })
  })

  test('a DataVolume is made, and the image sent to the proxy with a token for it', async () => {
    const got: { url: string; authorization: string; body: string }[] = []
    const proxy = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      request.on('end', () => {
        got.push({ url: `${request.method} ${request.url}`, authorization: request.headers.authorization!, body })
        response.end()
      })
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const { port } = proxy.address() as AddressInfo
    const created = '/apis/cdi.kubevirt.io/v1beta1/namespaces/n/datavolumes'
    answer('GET /apis/cdi.kubevirt.io/v1beta1', {})
    answer('GET /apis/cdi.kubevirt.io/v1beta1/cdiconfigs/config', {
      status: { uploadProxyURL: `http://127.0.0.1:${port}` },
    })
    answer(`POST ${created}`, {}, 201)
    answer('POST /apis/upload.cdi.kubevirt.io/v1beta1/namespaces/n/uploadtokenrequests', { status: { token: 't' } })
    answer('GET /api/v1/namespaces/n/persistentvolumeclaims/root', {
      metadata: {
        name: 'root',
        annotations: { 'cdi.kubevirt.io/storage.pod.ready': 'true', 'cdi.kubevirt.io/storage.pod.phase': 'Succeeded' },
      },
    })
    const { code, out } = await virtctl(
      'image-upload',
      'dv',
      'root',
      '--size=1Gi',
      '--image-path',
      image,
      '--default-instancetype',
      'small',
    )
    proxy.close()
    expect({ code, out }).toEqual({ code: 0, out: `Uploading ${image} completed successfully\n` })
    expect(api.seen.find(({ path, method }) => method === 'POST' && path === created)?.body).toMatchObject({
      metadata: { name: 'root', labels: { 'instancetype.kubevirt.io/default-instancetype': 'small' } },
      spec: { source: { upload: {} }, storage: { resources: { requests: { storage: '1Gi' } } } },
    })
    expect(got).toEqual([
      { url: 'HEAD /v1beta1/upload-async', authorization: 'Bearer t', body: '' },
      { url: 'POST /v1beta1/upload-async', authorization: 'Bearer t', body: 'an image' },
    ])
  })

  test.each([
    [['dv', 'root', '--image-path', '/dev/null'], /size/],
    [['dv', 'root', '--size=1Gi'], /--image-path/],
    [['vm', 'root', '--size=1Gi', '--image-path', '/dev/null'], /dv NAME or pvc NAME/],
    [['dv', 'root', '--size=1Gi', '--image-path', '/nowhere'], /can not be read/],
  ])('image-upload %j is refused before anything is made', async (argv, message) => {
    expect(await virtctl('image-upload', ...argv)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
    expect(api.seen).toEqual([])
  })
})

describe('usbredir', () => {
  test('--no-launch joins a client of the user’s own with the guest', async () => {
    api.onStream = (socket) => socket.send('usb hello')
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
    const argv = ['usbredir', 'a', '--no-launch', '--kubeconfig', kubeconfig, '--server', api.url, '-n', 'n']
    const ended = run(argv, 'virtctl', { stdin, stdout, stderr }, new AbortController().signal)
    const [line] = (await once(stdout, 'data')) as [Buffer]
    const client = connect((JSON.parse(line.toString()) as { port: number }).port, '127.0.0.1')
    const [greeting] = (await once(client, 'data')) as [Buffer]
    client.destroy()
    expect({ greeting: greeting.toString(), code: await ended }).toEqual({ greeting: 'usb hello', code: 0 })
  })

  test.each(['stick', '46f4', '1.3'])('%s is no device', async (device) => {
    expect(await virtctl('usbredir', device, 'a')).toMatchObject({ code: 1, err: expect.stringContaining('46f4:0001') })
  })
})
