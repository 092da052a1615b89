import { kubeSchedulerOf } from '@kubevirt-ts/dev-cluster'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensure } from './eventually.ts'
import { apply, kubectl, list } from './kubectl.ts'
import { namespace } from './product.ts'
import { must } from './run.ts'
import { tools } from './tools.ts'
import type { Pod } from '@kubevirt-ts/api'

const secret = 'stickyvm-extender'
const serverName = `stickyvm-scheduler.${namespace}.svc`

export interface StockScheduler extends AsyncDisposable {
  /** Where it finds the extender. */
  readonly address: string
}

/**
 * Turns the product's scheduler into an extender, and starts a second kube-scheduler of the cluster's own program and
 * rights that asks it.
 */
export async function startStockScheduler({
  schedulerName,
  configure,
}: {
  readonly schedulerName: string
  readonly configure: (...flags: string[]) => Promise<string>
}): Promise<StockScheduler> {
  const { program, kubeconfig } = await kubeSchedulerOf(tools().cluster)
  const folder = await mkdtempDisposable(join(tmpdir(), 'stock-scheduler-'))
  const path = (file: string) => join(folder.path, file)
  await makeCertificate(path('tls.crt'), path('tls.key'))
  const files = ['tls.crt', 'tls.key'].map((file) => `--from-file=${file}=${path(file)}`)
  // One certificate for both sides, which is its own authority.
  const authority = `--from-file=ca.crt=${path('tls.crt')}`
  const dryRun = ['--dry-run=client', '-o', 'json']
  const manifest = await kubectl('create', 'secret', 'generic', secret, '-n', namespace, ...files, authority, ...dryRun)
  await apply(JSON.parse(manifest) as object)
  await configure('--set', `scheduler.mode=extender,scheduler.extenderSecret=${secret}`, '--wait')
  const address = `https://${await extenderAddress()}:10260`
  await writeFile(path('ksc.json'), JSON.stringify(configuration({ address, schedulerName, kubeconfig, path })))
  const flags = [`--config=${path('ksc.json')}`, '--secure-port=0']
  const child = spawn(program, flags, { stdio: 'ignore' })
  return {
    address,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      await kubectl('delete', 'secret', secret, '-n', namespace, '--ignore-not-found')
      await folder.remove()
    },
  }
}

/** The control plane is outside the cluster's network of services, but reaches its pods. */
async function extenderAddress(): Promise<string> {
  // helm is content when the new pod is ready; the one before may be ready for a moment longer.
  await kubectl('rollout', 'status', 'deployment/stickyvm-scheduler', '-n', namespace, '--timeout=120s')
  const pods = await list<Pod>('pod', namespace, 'kubevirt.io=stickyvm-scheduler')
  const ready = pods.find(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined &&
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  )
  ensure(ready?.status?.podIP, 'no pod of the extender is ready')
  return ready.status.podIP
}

function configuration({
  address,
  schedulerName,
  kubeconfig,
  path,
}: {
  readonly address: string
  readonly schedulerName: string
  readonly kubeconfig: string
  readonly path: (file: string) => string
}): object {
  const tlsConfig = { serverName, caFile: path('tls.crt'), certFile: path('tls.crt'), keyFile: path('tls.key') }
  const verbs = { filterVerb: 'filter', prioritizeVerb: 'prioritize', bindVerb: 'bind' }
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig },
    leaderElection: { leaderElect: false },
    profiles: [{ schedulerName }],
    extenders: [{ urlPrefix: address, ...verbs, weight: 10, enableHTTPS: true, tlsConfig, nodeCacheCapable: true }],
  }
}

async function makeCertificate(certificate: string, key: string): Promise<void> {
  const subject = ['-subj', '/CN=kube-scheduler', '-addext', `subjectAltName=DNS:${serverName}`]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
  await must('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', certificate])
}
