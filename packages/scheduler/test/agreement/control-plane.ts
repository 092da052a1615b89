import { createClient, type KubeClient } from '@kubevirt-ts/kubecli'
import { spawn, type ChildProcess } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const token = 'agreement'

/** etcd, an API server and the real kube-scheduler on the loopback; no node is real. */
export interface ControlPlane extends AsyncDisposable {
  readonly client: KubeClient
  /** What kube-scheduler wrote, as a file that grows. */
  readonly schedulerLog: string
}

export interface ControlPlaneOptions {
  /** The folder of etcd, kube-apiserver and kube-scheduler. */
  readonly programs: string
  readonly extenderUrl: string
}

export async function startControlPlane({ programs, extenderUrl }: ControlPlaneOptions): Promise<ControlPlane> {
  const folder = await mkdtemp(join(tmpdir(), 'agreement-'))
  const children: ChildProcess[] = []
  const start = (name: string, ...flags: string[]) => {
    const log = createWriteStream(join(folder, `${name}.log`))
    const child = spawn(join(programs, name), flags, { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.pipe(log, { end: false })
    child.stderr.pipe(log, { end: false })
    children.push(child)
  }
  const stop = async () => {
    for (const child of children.toReversed()) {
      if (child.exitCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const [etcd, peer, api] = await Promise.all([freePort(), freePort(), freePort()])
    startEtcd(start, folder, etcd, peer)
    await startApiServer(start, folder, etcd, api)
    const client = createClient(
      {
        server: `https://127.0.0.1:${api}`,
        namespace: 'a',
        tls: { rejectUnauthorized: false },
        authorization: async () => `Bearer ${token}`,
      },
      { userAgent: 'agreement' },
    )
    await untilReady(client)
    await startScheduler(start, folder, `https://127.0.0.1:${api}`, extenderUrl)
    return { client, schedulerLog: join(folder, 'kube-scheduler.log'), [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Start = (name: string, ...flags: string[]) => void

function startEtcd(start: Start, folder: string, port: number, peer: number): void {
  const url = `http://127.0.0.1:${port}`
  const peerUrl = `http://127.0.0.1:${peer}`
  start(
    'etcd',
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--unsafe-no-fsync=true',
  )
}

/** Without the admission that would taint nodes which no kubelet reports on, or ask for service accounts. */
async function startApiServer(start: Start, folder: string, etcd: number, port: number): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const keyFile = join(folder, 'service-account.pem')
  await writeFile(keyFile, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 })
  await writeFile(join(folder, 'tokens.csv'), `${token},admin,admin,system:masters\n`, { mode: 0o600 })
  start(
    'kube-apiserver',
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${join(folder, 'api')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=AlwaysAllow',
    '--service-account-issuer=https://agreement',
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
    '--service-cluster-ip-range=198.18.255.0/24',
    '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition,StorageObjectInUseProtection,DefaultTolerationSeconds',
  )
}

/** All nodes are looked at; nobody is evicted; volumes are not really bound. The scores are in its log. */
async function startScheduler(start: Start, folder: string, server: string, extenderUrl: string): Promise<void> {
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'x', user: { token } }],
  }
  const all = { disabled: [{ name: '*' }] }
  const configuration = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    leaderElection: { leaderElect: false },
    clientConnection: { kubeconfig: join(folder, 'kubeconfig'), qps: 1000, burst: 1000 },
    percentageOfNodesToScore: 100,
    profiles: [{ schedulerName: 'real', plugins: { postFilter: all, preBind: all } }],
    extenders: [{ urlPrefix: extenderUrl, filterVerb: 'filter', bindVerb: 'bind', nodeCacheCapable: true }],
  }
  await writeFile(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig), { mode: 0o600 })
  await writeFile(join(folder, 'ksc.json'), JSON.stringify(configuration))
  start('kube-scheduler', `--config=${join(folder, 'ksc.json')}`, '--secure-port=0', '-v=10')
}

async function untilReady(client: KubeClient): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(200)) {
    const answer = await client.request({ method: 'GET', path: '/readyz' }).catch(() => undefined)
    if (answer?.status === 200) return
  }
  throw new Error('the API server did not become ready within two minutes')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
