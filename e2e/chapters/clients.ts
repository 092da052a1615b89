import { expect } from '@jest/globals'
import type { Node, VirtualMachineInstance } from '@kubevirt-ts/api'
import { clusterRequest } from '../framework/api-server.ts'
import { browserStream } from '../framework/browser.ts'
import { forgetClaims } from '../framework/claims.ts'
import { ensure, eventually } from '../framework/eventually.ts'
import { apply, getVmi, kubectl, launcherImage, tryKubectl, vmiInPhase } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { namespace as installed } from '../framework/product.ts'
import { must, run } from '../framework/run.ts'
import { scenario } from '../framework/scenario.ts'
import { tools } from '../framework/tools.ts'
import { Console, tryVirtctl, usbGreeting, virtctl, virtctlTyped, vncGreeting } from '../framework/virtctl.ts'
import { claimOnNode } from '../manifests/claims.ts'
import { tinyVm } from '../manifests/vms.ts'

/** What users drive the API with: kubectl, virtctl, browsers; and who may write what through it. */
export function clientsChapter(): void {
  const namespace = testNamespace('clients')
  const name = 'driven'
  const subresources = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}`
  const isFull = process.env['E2E_CLIENTS'] === '1'

  scenario('a VM to drive runs', async () => {
    const vm = tinyVm({ name, namespace, graceSeconds: 5 })
    if (isFull) Object.assign(vm.spec.template.spec.domain.devices, { clientPassthrough: {} })
    await apply(vm)
    await vmiInPhase(namespace, name, 'Running', { timeoutMs: 120_000 })
  })

  scenario('kubectl waits, and prints columns', async () => {
    await kubectl('wait', 'vm', name, '-n', namespace, '--for=condition=Ready', '--timeout=120s')
    const [titles = '', row = ''] = (await kubectl('get', 'vmi', name, '-n', namespace, '-o', 'wide')).split('\n')
    expect(titles).toMatch(/^NAME +AGE +PHASE +IP +NODENAME +READY +LIVE-MIGRATABLE +PAUSED/)
    expect(row).toMatch(/Running/)
  })

  scenario('two managers apply different fields; the same field is a conflict', async () => {
    const vm = (spec: object) => JSON.stringify({ ...head('applied', namespace), spec })
    const template = tinyVm({ name: 'applied', namespace }).spec.template
    const by = (manager: string, spec: object) =>
      run(tools().kubectl, ['apply', '--server-side', `--field-manager=${manager}`, '-f', '-'], { input: vm(spec) })
    expect(await by('one', { runStrategy: 'Halted', template })).toMatchObject({ code: 0 })
    expect(await by('two', { template: { spec: { terminationGracePeriodSeconds: 7 } } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('conflict with "one"'),
    })
    expect(await by('two', { template: { spec: { hostname: 'two' } } })).toMatchObject({ code: 0 })
  })

  scenario('patches of all kinds, dry runs and subresources do what kubectl says', async () => {
    const patch = (...args: string[]) => kubectl('patch', 'vm', 'applied', '-n', namespace, ...args)
    await patch('--type=merge', '-p', '{"metadata":{"labels":{"a":"1"}}}')
    await patch('--type=json', '-p', '[{"op":"test","path":"/metadata/labels/a","value":"1"}]')
    const refusal = await tryKubectl(['patch', 'vm', 'applied', '-n', namespace, '--type=strategic', '-p', '{}'])
    expect(refusal.stderr).toContain('is not supported by kubevirt.io/v1')
    await patch('--dry-run=server', '--type=merge', '-p', '{"metadata":{"labels":{"a":"2"}}}')
    const label = 'jsonpath={.metadata.labels.a}'
    expect(await kubectl('get', 'vm', 'applied', '-n', namespace, '-o', label)).toBe('1')
    expect(await kubectl('get', 'vm', name, '-n', namespace, '--subresource=status', '-o', 'name')).toContain(name)
  })

  scenario('a replica set is scaled', async () => {
    const { template } = tinyVm({ name: 'set', namespace }).spec
    const labels = { set: 'scaled' }
    await apply({
      ...head('scaled', namespace, 'VirtualMachineInstanceReplicaSet'),
      spec: { replicas: 0, selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } },
    })
    await kubectl('scale', 'vmirs', 'scaled', '-n', namespace, '--replicas=1', '--dry-run=server')
    await kubectl('scale', 'vmirs', 'scaled', '-n', namespace, '--replicas=0', '--current-replicas=0')
  })

  scenario('virtctl why says what a VM waits for, and how that ends', async () => {
    expect(await virtctl('why', name, '-n', namespace)).toMatch(/^e2e-clients\/driven: running, ready/)
    const halted = await virtctl('why', 'applied', '-n', namespace)
    expect(halted).toContain('told to be off')
    expect(halted).toContain(`virtctl -n ${namespace} start applied`)
    const found = JSON.parse(await virtctl('why', name, '-n', namespace, '-o', 'json')) as { chain: { kind: string }[] }
    expect(found.chain.map(({ kind }) => kind)).toEqual(['VM', 'VMI', 'Pod', 'Node', 'Domain'])
  })

  scenario('virtctl top lists the guest with its node', async () => {
    const { status } = await getVmi(namespace, name)
    expect(await virtctl('top', '-n', namespace)).toMatch(new RegExp(`${name} +${status?.nodeName}`))
  })

  scenario('virtctl expose makes a Service that leads to the guest', async () => {
    await virtctl('expose', 'vm', name, '-n', namespace, '--name=driven-ssh', '--port=22')
    const { status } = await getVmi(namespace, name)
    await eventually('the Service leads to the guest', async () => {
      const addresses = 'jsonpath={.items[*].endpoints[*].addresses[*]}'
      const led = await kubectl(
        'get',
        'endpointslices',
        '-n',
        namespace,
        '-l',
        'kubernetes.io/service-name=driven-ssh',
        '-o',
        addresses,
      )
      ensure(led === status?.interfaces?.[0]?.ipAddress, `it leads to ${led || 'nobody'}`)
    })
  })

  scenario('a browser speaks to console and screen with a token in its subprotocols', async () => {
    await kubectl('create', 'serviceaccount', 'browser', '-n', namespace)
    await kubectl(
      'create',
      'rolebinding',
      'browser',
      '-n',
      namespace,
      '--clusterrole=kubevirt.io:edit',
      `--serviceaccount=${namespace}:browser`,
    )
    const browser = `system:serviceaccount:${namespace}:browser`
    await eventually('the role is in force', () =>
      kubectl('auth', 'can-i', 'get', 'virtualmachineinstances.kubevirt.io', '-n', namespace, '--as', browser),
    )
    const token = (await kubectl('create', 'token', 'browser', '-n', namespace)).trim()
    const path = `${subresources}/virtualmachineinstances/${name}`
    const screen = await browserStream(`${path}/vnc`, token, '\n')
    expect(screen).toEqual({ protocol: 'plain.kubevirt.io', received: 'RFB 003.008\n' })
    const serial = await browserStream(`${path}/console?replay=true`, token, 'login')
    expect(serial.protocol).toBe('plain.kubevirt.io')
  })

  scenario('a second console takes the first one’s place, and the first says so', async () => {
    await using first = new Console(namespace, name)
    await first.logIn('root', 'kubevirt')
    await using second = new Console(namespace, name)
    await second.logIn('root', 'kubevirt')
    expect(await first.ended()).toContain('another user connected')
  })

  scenario('who preserves sessions does not take a screen that is in use', async () => {
    const busy = await browserOpen()
    try {
      const { code, stderr } = await tryVirtctl('vnc', name, '-n', namespace, '--proxy-only', '--preserve-session')
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Active VNC connection') })
    } finally {
      busy()
    }
    expect(await vncGreeting(namespace, name)).toMatch(/^RFB 003\.008/)
  })

  async function browserOpen(): Promise<() => void> {
    const token = (await kubectl('create', 'token', 'browser', '-n', namespace)).trim()
    const path = `${subresources}/virtualmachineinstances/${name}/vnc`
    const { close } = await browserStream(path, token, '\n', true)
    ensure(close, 'the stream stays open')
    return close
  }

  if (isFull) streamsOfVirtctl(namespace, name)

  scenario('a node agent writes to its own node and guests alone', async () => {
    const { status } = await getVmi(namespace, name)
    const node = status?.nodeName ?? ''
    const label = (key: string) => ({ metadata: { labels: { [key]: 'x' } } })
    const patchNode = (as: string, body: object) =>
      asHandler(as, 'PATCH', `/api/v1/nodes/${node}?dryRun=All`, body, 'application/merge-patch+json')
    expect(await patchNode(node, label('kubevirt.io/tried'))).toMatchObject({ status: 200 })
    expect(await patchNode('elsewhere', label('kubevirt.io/tried'))).toMatchObject({
      status: 403,
      text: expect.stringContaining(`may not change node ${node}`),
    })
    expect(await patchNode(node, label('node-role.kubernetes.io/master'))).toMatchObject({ status: 403 })
    expect(await patchNode(node, { spec: { unschedulable: true } })).toMatchObject({ status: 403 })
    const guest = `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/${name}?dryRun=All`
    // The guest's own agent writes, too: a PUT of what it has changed meanwhile is a conflict, and tried again.
    const mark = (as: string) =>
      eventually('the VMI has not changed meanwhile', async () => {
        const vmi = await getVmi(namespace, name)
        const metadata = { ...vmi.metadata, annotations: { ...vmi.metadata.annotations, tried: 'x' } }
        const answer = await asHandler(as, 'PUT', guest, { ...vmi, metadata })
        ensure(answer.status !== 409, answer.text)
        return answer
      })
    expect(await mark(node)).toMatchObject({ status: 200 })
    expect(await mark('elsewhere')).toMatchObject({
      status: 403,
      text: expect.stringContaining('of node'),
    })
  })

  const asHandler = (
    node: string,
    method: string,
    path: string,
    body: Partial<Node | VirtualMachineInstance> | object,
    type = 'application/json',
  ) =>
    clusterRequest(method, path, body, {
      'Content-Type': type,
      'Impersonate-User': `system:serviceaccount:${installed}:kubevirt-handler`,
      'Impersonate-Group': 'system:serviceaccounts',
      'Impersonate-Extra-authentication.kubernetes.io%2fnode-name': node,
    })

  scenario('what no client should send is answered with a Status', async () => {
    const path = `${subresources}/virtualmachines/${name}`
    const cases: readonly (readonly [path: string, body: string, status: number])[] = [
      [`${path}/start`, '{"paused":tr', 400],
      [`${path}/start`, '[]', 400],
      [`${path}/explode`, '{}', 404],
      [`${subresources}/virtualmachines/nobody/start`, '{}', 404],
    ]
    for (const [where, body, status] of cases) {
      const answer = await clusterRequest('PUT', where, body, { 'Content-Type': 'application/json', Accept: '*/*' })
      expect({ where, body, status: answer.status }).toEqual({ where, body, status })
      expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Status', code: status })
    }
  })

  scenario('the VM goes', async () => {
    await must(tools().kubectl, ['delete', 'vm', name, 'applied', '-n', namespace, '--timeout=120s'])
  })
}

/** Commands of virtctl that need more than a plain guest. */
function streamsOfVirtctl(namespace: string, name: string): void {
  scenario('a USB device of the user is greeted by the guest’s bus', async () => {
    expect(await usbGreeting(namespace, name)).toMatch(/usb-redir/)
  })

  scenario('virtctl guestfs opens a shell beside a claim; the pod goes with it', async () => {
    await forgetClaims(namespace, 'files')
    await apply(claimOnNode({ name: 'files', namespace, size: '16Mi' }))
    const image = await launcherImage()
    const flags = ['--image', image, '--kvm=false', '--root', '-n', namespace]
    const input = 'echo answer-$((6 * 7)) > /disk/told; cat /disk/told; exit\n'
    const { code, stdout, stderr } = await virtctlTyped(input, 'guestfs', 'files', ...flags)
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: expect.stringContaining('answer-42'),
      stderr: expect.stringContaining('mounted at /disk'),
    })
    await kubectl('wait', '--for=delete', 'pod/libguestfs-tools-files', '-n', namespace, '--timeout=120s')
  })
}

const head = (name: string, namespace: string, kind = 'VirtualMachine') => ({
  apiVersion: 'kubevirt.io/v1',
  kind,
  metadata: { name, namespace },
})
