import { createClient, loadConfig } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { VirtError, createLogger, defineOptions, parseOptions } from '@kubevirt-ts/service'
import type { Logger } from '@kubevirt-ts/service'
import { applyCrds } from './apply-crds.ts'
import { removeCrds } from './remove-crds.ts'
import { removeLeftovers } from './remove-leftovers.ts'
import { removeApiServices, removeWebhooks } from './remove-registrations.ts'
import { removeWorkloads } from './remove-workloads.ts'

const cluster = defineOptions({
  kubeconfig: {
    flag: 'kubeconfig',
    type: 'string',
    help: 'Path of a kubeconfig file; without it the service account is used.',
  },
  namespace: {
    flag: 'namespace',
    type: 'string',
    default: 'kubevirt',
    env: 'POD_NAMESPACE',
    help: 'Namespace of the installation.',
  },
  timeout: { flag: 'timeout', type: 'duration', default: 300_000, help: 'How long to wait for the cluster.' },
})

const crdOptions = defineOptions({
  ...cluster,
  dir: {
    flag: 'dir',
    type: 'string',
    default: '/usr/share/kubevirt-ts/crds',
    help: 'Folder of the custom resource definitions.',
  },
})

const uninstallOptions = defineOptions({
  ...cluster,
  keepCrds: {
    flag: 'keep-crds',
    type: 'boolean',
    default: false,
    help: 'Keep the definitions and the objects of users.',
  },
  crdsOnly: {
    flag: 'crds-only',
    type: 'boolean',
    default: false,
    help: 'After the services are gone: remove what is left, the definitions among it.',
  },
})

type Environment = Readonly<Record<string, string | undefined>>

/**
 * `crds apply` and `uninstall`, which the chart runs as jobs before and after it does its own part. They may be
 * repeated at any time, and whatever of the product is gone already is no obstacle. Returns the exit code.
 */
export async function runLifecycle(argv: readonly string[], env: Environment): Promise<number> {
  const log = createLogger({ component: 'virt-controller' })
  try {
    if (argv[0] === 'uninstall') await uninstall(argv.slice(1), env, log)
    else if (argv[1] === 'apply') await crdsApply(argv.slice(2), env, log)
    else throw new VirtError('UnknownCommand', `unknown command "${argv.join(' ')}"; there are: crds apply, uninstall`)
    return 0
  } catch (error) {
    log.error({ error }, `${argv[0]} failed`)
    return 1
  }
}

async function crdsApply(argv: readonly string[], env: Environment, log: Logger): Promise<void> {
  const { kubeconfig, dir, timeout } = parseOptions(crdOptions, argv, env, { name: 'virt-controller crds apply' })
  await withClient(kubeconfig, (client) => applyCrds({ client, dir, timeoutMs: timeout, log }))
}

async function uninstall(argv: readonly string[], env: Environment, log: Logger): Promise<void> {
  const values = parseOptions(uninstallOptions, argv, env, { name: 'virt-controller uninstall' })
  const { namespace, keepCrds, crdsOnly } = values
  const deadline = Date.now() + values.timeout
  await withClient(values.kubeconfig, async (client) => {
    const options = { client, namespace, deadline, log }
    if (!crdsOnly && !keepCrds) await removeWorkloads(options)
    await removeWebhooks(options)
    await removeApiServices(options)
    if (!crdsOnly) return
    await removeLeftovers(options)
    if (!keepCrds) await removeCrds(options)
  })
}

async function withClient(kubeconfig: string | undefined, use: (client: KubeClient) => Promise<void>): Promise<void> {
  const config = await loadConfig(kubeconfig === undefined ? {} : { kubeconfig })
  const client = createClient(config, { userAgent: 'virt-controller/lifecycle' })
  try {
    await use(client)
  } finally {
    await client.close()
  }
}
