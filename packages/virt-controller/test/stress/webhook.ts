import type { ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations, virtualMachines } from '@kubevirt-ts/api'
import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { vm, vmi, withMemory, withName, withRunStrategy } from '@kubevirt-ts/libvmi'
import { newLeaf } from '../../src/certificates/sign.ts'
import { end, freePort } from './control-plane.ts'
import type { ControlPlane } from './control-plane.ts'
import { kubeconfigOf } from './controllers.ts'
import { startProxy } from './faulty-proxy.ts'
import { until } from './history.ts'

const main = fileURLToPath(new URL('../../../virt-api/src/main.ts', import.meta.url))
const host = 'localhost'
const dayMs = 86_400_000

/** virt-api, without which nobody may write a VM or a VMI. */
export interface Webhook extends AsyncDisposable {
  /** It takes requests and says nothing more. */
  freeze(): void
  /** Nothing listens any more. */
  end(): Promise<void>
  /** It is there again, and asked. */
  start(): Promise<void>
}

/** The API server asks it about every write of VMs and VMIs; the chart spares it the controllers' own. */
export async function startWebhook(plane: ControlPlane): Promise<Webhook> {
  const proxy = await startProxy(plane, () => 1)
  const file = (name: string): string => join(plane.folder, `virt-api.${name}`)
  const port = await freePort()
  const spec = { secret: '', commonName: 'virt-api', dnsNames: [host], usages: ['server'] } as const
  const { cert, key } = newLeaf(spec, plane.authority, dayMs, Date.now())
  await writeFile(file('kubeconfig'), kubeconfigOf(proxy.url))
  await writeFile(file('crt'), cert)
  await writeFile(file('key'), key, { mode: 0o600 })
  const flags = [
    '--no-warnings',
    main,
    `--kubeconfig=${file('kubeconfig')}`,
    '--listen=127.0.0.1',
    `--port=${port}`,
    ...['tls', 'handler'].flatMap((of) => [`--${of}-cert-file=${file('crt')}`, `--${of}-key-file=${file('key')}`]),
  ]
  let process: ChildProcess
  const start = async (): Promise<void> => {
    process = plane.start(globalThis.process.execPath, 'virt-api', flags)
    await untilAsked(plane.client)
  }
  const removeAll = await register(plane, port)
  await start()
  return {
    freeze: () => void process.kill('SIGSTOP'),
    end: () => end(process),
    start,
    [Symbol.asyncDispose]: async () => {
      await removeAll()
      await end(process)
      await proxy[Symbol.asyncDispose]()
    },
  }
}

const guest = 'virtualmachineinstances'

/** Answers what takes the registrations away again. */
async function register({ client, authority }: ControlPlane, port: number): Promise<() => Promise<void>> {
  const hook = (resource: string, path: string, operations: readonly string[]) => ({
    name: `${path}.kubevirt.io`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
    timeoutSeconds: 10,
    clientConfig: {
      url: `https://${host}:${port}/${path}`,
      caBundle: Buffer.from(authority.cert).toString('base64'),
    },
    rules: [{ apiGroups: ['kubevirt.io'], apiVersions: ['v1'], operations, resources: [resource], scope: '*' }],
  })
  const both = ['CREATE', 'UPDATE']
  const registrations = [
    [
      mutatingWebhookConfigurations,
      [hook('virtualmachines', 'virtualmachines-mutate', both), hook(guest, `${guest}-mutate`, both)],
    ],
    [
      validatingWebhookConfigurations,
      [
        hook('virtualmachines', 'virtualmachines-validate', both),
        hook(guest, `${guest}-validate-create`, ['CREATE']),
        hook(guest, `${guest}-validate-update`, ['UPDATE']),
      ],
    ],
  ] as const
  const metadata = { name: 'stress' }
  for (const [resource, webhooks] of registrations) {
    const { group, version, kind } = resource
    await client.create(
      resource as ResourceType<KubeObject>,
      {
        apiVersion: `${group}/${version}`,
        kind,
        metadata,
        webhooks,
      } as KubeObject,
    )
  }
  return async () => {
    for (const [resource] of registrations) await client.delete(resource as ResourceType<KubeObject>, metadata)
  }
}

/** The API server takes a moment to know its webhooks, and they to be up: until it answers with what they made of it. */
async function untilAsked(client: KubeClient): Promise<void> {
  const asked = { ...vm(vmi(withName('asked'), withMemory('64Mi')), withRunStrategy('Halted')) }
  asked.metadata = { name: 'asked', namespace: 'default' }
  delete asked.spec.template.spec?.domain.firmware
  await until(
    async () => {
      const made = await client.create(virtualMachines, asked, { dryRun: true }).catch(() => undefined)
      return made?.spec.template.spec?.domain.firmware?.uuid !== undefined
    },
    () => 'virt-api is not asked',
  )
}
