import { expect, test } from '@jest/globals'
import { virtualMachines, type KubeObject, type Node, type Pod, type VirtualMachine } from '@kubevirt-ts/api'
import { listerOf, silentLog } from '@kubevirt-ts/controller/testing'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { snapshotOf, volumesFrom } from '@kubevirt-ts/scheduling'
import { staticCertificate } from '@kubevirt-ts/service'
import { execFile } from 'node:child_process'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { httpExtender } from '../src/extender/http-extender.ts'
import { serveExtender } from '../src/extender/serve.ts'
import { stickyAnswers } from '../src/extender/sticky-answers.ts'
import type { PluginServices } from '../src/framework/registry.ts'
import { defaultBinder } from '../src/plugins/default-binder/default-binder.ts'
import { stickyVm } from '../src/plugins/sticky-vm/sticky-vm.ts'

const node = (name: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
})
const owner = (kind: string) => [{ apiVersion: 'kubevirt.io/v1', kind, name: 'x', uid: kind, controller: true }]
const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'a', uid: 'p', ownerReferences: owner('VirtualMachineInstance') },
  spec: { containers: [] },
}
const instance = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'x', namespace: 'a', uid: 'VirtualMachineInstance', ownerReferences: owner('VirtualMachine') },
}

function vm(annotations: Record<string, string>): KubeObject {
  const metadata = { name: 'x', namespace: 'a', uid: 'VirtualMachine', annotations }
  return { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata }
}

/** Our extender on a real port, and kube-scheduler's side of it. */
async function startExtender(annotations: Record<string, string>, nodeCacheCapable: boolean) {
  const directory = await mkdtempDisposable(join(tmpdir(), 'extender-'))
  const [keyFile, certFile] = [join(directory.path, 'key.pem'), join(directory.path, 'cert.pem')]
  const days = ['-days', '1', '-subj', '/CN=scheduler', '-addext', 'subjectAltName=IP:127.0.0.1']
  const files = ['-keyout', keyFile, '-out', certFile]
  await promisify(execFile)('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    ...files,
    ...days,
  ])
  const cert = await readFile(certFile, 'utf8')
  const key = await readFile(keyFile, 'utf8')
  const client = fakeClient([vm(annotations), pod, node('n1'), node('n2')])
  const services = {
    client,
    log: silentLog(),
    events: { event: () => undefined },
    nodes: listerOf([node('n1'), node('n2')]),
    instances: listerOf([instance]),
    virtualMachines: listerOf(client.objects<VirtualMachine>(virtualMachines)),
  } as unknown as PluginServices
  const sticky = stickyVm.create(undefined, services)
  const binder = defaultBinder.create(undefined, services)
  const server = await serveExtender({
    host: '127.0.0.1',
    port: 0,
    certificate: staticCertificate({ cert, key, ca: cert }),
    answers: stickyAnswers({ sticky, binder, client, nodes: services.nodes, volumes: volumesFrom({}) }),
    log: silentLog(),
  })
  const connection = {
    urlPrefix: `https://127.0.0.1:${server.port}`,
    filterVerb: 'filter',
    prioritizeVerb: 'prioritize',
    bindVerb: 'bind',
    weight: 2,
    httpTimeoutMs: 30_000,
    nodeCacheCapable,
    managedResources: [],
    ignorable: false,
  }
  return {
    client,
    extender: await httpExtender({ ...connection, tls: { insecure: false, caFile: certFile, certFile, keyFile } }),
    stranger: await httpExtender({ ...connection, tls: { insecure: false, caFile: certFile } }),
    home: () => client.objects(virtualMachines)[0]!.metadata.annotations?.['home.kubevirt-ts.io/node'],
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await directory[Symbol.asyncDispose]()
    },
  }
}

const { nodes } = snapshotOf({ nodes: [node('n1'), node('n2')] })

test.each([true, false])(
  'a VM with a home is left only that (names instead of nodes: %s)',
  async (nodeCacheCapable) => {
    await using running = await startExtender({ 'home.kubevirt-ts.io/node': 'n2' }, nodeCacheCapable)

    const { nodes: left, refused } = await running.extender.filter(pod, nodes)

    expect(left.map(({ name }) => name)).toEqual(['n2'])
    expect(refused.get('n1')).toMatchObject({ code: 'Unschedulable', reasons: ['already stick to another node'] })
  },
)

test('a home that is only preferred scores', async () => {
  const annotations = { 'home.kubevirt-ts.io/node': 'n2', 'home.kubevirt-ts.io/policy': 'preferred' }
  await using running = await startExtender(annotations, true)

  expect((await running.extender.filter(pod, nodes)).nodes).toHaveLength(2)
  expect(await running.extender.prioritize(pod, nodes)).toEqual(
    new Map([
      ['n1', 0],
      ['n2', 200],
    ]),
  )
})

test('binding makes the home', async () => {
  await using running = await startExtender({}, true)
  await running.extender.bind!(pod, 'n1')

  expect(running.client.calls).toContainEqual(expect.objectContaining({ subresource: 'binding', name: 'p' }))
  expect(running.home()).toBe('n1')
})

test('a pod is not bound away from its home, nor when it is another pod', async () => {
  await using running = await startExtender({ 'home.kubevirt-ts.io/node': 'n2' }, true)

  await expect(running.extender.bind!(pod, 'n1')).rejects.toThrow('already stick to another node')
  const other = { ...pod, metadata: { ...pod.metadata, uid: 'other' } }
  await expect(running.extender.bind!(other, 'n2')).rejects.toThrow('another one than was asked about')
})

test('who has no certificate of the authority is not answered', async () => {
  await using running = await startExtender({}, true)

  await expect(running.stranger.bind!(pod, 'n1')).rejects.toThrow('cannot be asked')
  expect(running.client.writes()).toEqual([])
})
