/**
 * The real kube-scheduler with our extender behind it: VMs with a home go there however empty other nodes are, the first
 * start makes a home, other pods are as before: `node packages/scheduler/test/agreement/extender-mode.ts --programs DIR`.
 */
import {
  customResourceDefinitions,
  namespaces,
  nodes,
  pods,
  virtualMachineInstances,
  virtualMachines,
  type CustomResourceDefinition,
  type Pod,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '@kubevirt-ts/api'
import { defineOptions, parseOptions } from '@kubevirt-ts/service'
import { execFile } from 'node:child_process'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { programs, startControlPlane, startProgram } from './control-plane.ts'

const options = parseOptions(
  defineOptions({
    programs,
    port: { flag: 'port', type: 'number', default: 20260, help: 'port of the extender' },
    vms: { flag: 'vms', type: 'number', default: 20, help: 'how many VMs' },
  }),
  process.argv.slice(2),
  {},
  { name: 'extender-mode' },
)
const binary = fileURLToPath(new URL('../../bin/stickyvm-scheduler', import.meta.url))
const crds = new URL('../../../../charts/kubevirt/crds/', import.meta.url)

await using folder = await mkdtempDisposable(join(tmpdir(), 'extender-mode-'))
await using plane = await startControlPlane(options.programs)
const { client } = plane
const [keyFile, certFile] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')]
const certificate = [
  '-subj',
  '/CN=scheduler',
  '-addext',
  'subjectAltName=IP:127.0.0.1',
  '-keyout',
  keyFile,
  '-out',
  certFile,
]
await promisify(execFile)('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...certificate])
for (const plural of ['virtualmachines', 'virtualmachineinstances']) {
  const text = await readFile(new URL(`${plural}.kubevirt.io.yaml`, crds), 'utf8')
  await client.create(customResourceDefinitions, parse(text) as CustomResourceDefinition)
}
await client.create(namespaces, { metadata: { name: 'a' } })
for (const [name, cpu] of [
  ['small', '8'],
  ['large', '64'],
] as const) {
  const conditions = [{ type: 'Ready', status: 'True' }]
  await client.create(nodes, {
    metadata: { name },
    status: { allocatable: { cpu, memory: '256Gi', pods: '200' }, conditions },
  })
}
await until(async () =>
  client.list(virtualMachines).then(
    () => true,
    () => false,
  ),
)
await until(async () =>
  client.list(virtualMachineInstances).then(
    () => true,
    () => false,
  ),
)

const tls = ['--tls-cert-file', certFile, '--tls-private-key-file', keyFile, '--client-ca-file', certFile]
const ports = ['--bind-address', '127.0.0.1', '--secure-port', '0', '--extender-port', String(options.port)]
const log = join(folder.path, 'log')
await using _extender = startProgram(binary, log, ['--extender', '--kubeconfig', plane.kubeconfig, ...tls, ...ports])
await until(async () => (await readFile(log, 'utf8').catch(() => '')).includes('serving as an extender'))
const verbs = { filterVerb: 'filter', prioritizeVerb: 'prioritize', bindVerb: 'bind' }
const tlsConfig = { caFile: certFile, certFile, keyFile }
await plane.startKubeScheduler({
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  leaderElection: { leaderElect: false },
  profiles: [{ schedulerName: 'real' }],
  extenders: [
    {
      urlPrefix: `https://127.0.0.1:${options.port}`,
      ...verbs,
      weight: 10,
      enableHTTPS: true,
      tlsConfig,
      nodeCacheCapable: true,
    },
  ],
})

let wrong = 0
for (let index = 0; index < options.vms; index++) {
  // A home on the small node must win over the emptier large one.
  const home = index % 2 === 0 ? 'small' : undefined
  const node = await startVm(`vm${index}`, home)
  const written = (await client.get(virtualMachines, { name: `vm${index}`, namespace: 'a' })).metadata.annotations?.[
    'home.kubevirt-ts.io/node'
  ]
  if ((home !== undefined && node !== home) || written !== node) wrong += 1
}
const plain = await client.create(pods, podNamed('plain'))
await until(async () => (await nodeOf(plain.metadata.name)) !== undefined)
console.log(
  `${options.vms} VMs through the real kube-scheduler: ${wrong} went wrong; a plain pod went to ${await nodeOf('plain')}`,
)
process.exitCode = wrong === 0 ? 0 : 1

/** Answers the node of the VM's pod, once a home is written. */
async function startVm(name: string, home: string | undefined): Promise<string> {
  const annotations = home === undefined ? {} : { 'home.kubevirt-ts.io/node': home }
  const template = { spec: { domain: { devices: {} } } }
  const vm = await client.create(virtualMachines, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'a', annotations },
    spec: { runStrategy: 'Always', template },
  } as VirtualMachine)
  const instance = await client.create(virtualMachineInstances, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name, namespace: 'a', ownerReferences: ownedBy('VirtualMachine', vm) },
    spec: template.spec,
  } as VirtualMachineInstance)
  const pod = podNamed(`virt-launcher-${name}`)
  pod.metadata.ownerReferences = ownedBy('VirtualMachineInstance', instance)
  await client.create(pods, pod)
  await until(async () => {
    const now = await client.get(virtualMachines, { name, namespace: 'a' })
    return (
      (await nodeOf(pod.metadata.name)) !== undefined &&
      now.metadata.annotations?.['home.kubevirt-ts.io/node'] !== undefined
    )
  })
  return (await nodeOf(pod.metadata.name))!
}

function ownedBy(kind: string, { metadata }: { readonly metadata: { readonly name: string; readonly uid?: string } }) {
  return [{ apiVersion: 'kubevirt.io/v1', kind, name: metadata.name, uid: metadata.uid ?? '', controller: true }]
}

function podNamed(name: string): Pod {
  const requests = { cpu: '100m', memory: '200Mi' }
  const containers = [{ name: 'c', image: 'i', resources: { requests } }]
  return { metadata: { name, namespace: 'a' }, spec: { schedulerName: 'real', containers } }
}

async function nodeOf(name: string): Promise<string | undefined> {
  return (await client.get(pods, { name, namespace: 'a' })).spec.nodeName
}

async function until(what: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await what()); await sleep(50)) {
    if (Date.now() > end) throw new Error('it did not happen within a minute')
  }
}
