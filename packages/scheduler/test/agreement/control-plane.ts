import { createClient, type KubeClient } from '@kubevirt-ts/kubecli'
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const token = 'agreement'

/** etcd and an API server on the loopback; no node is real. All that was started ends with it. */
export interface ControlPlane extends AsyncDisposable {
  readonly client: KubeClient
  readonly kubeconfig: string
  /** Starts the real kube-scheduler; the configuration's kubeconfig is filled in. */
  startKubeScheduler(configuration: object, ...flags: string[]): Promise<Program>
}

export interface Program extends AsyncDisposable {
  /** What it wrote, as a file that grows. */
  readonly log: string
  stop(): Promise<void>
}

/** The option of commands that start one. */
export const programs = {
  flag: 'programs',
  type: 'string',
  default: '',
  help: 'folder of etcd, kube-apiserver and kube-scheduler',
} as const

/** `folderOfPrograms` is the folder of etcd, kube-apiserver and kube-scheduler. */
export async function startControlPlane(folderOfPrograms: string): Promise<ControlPlane> {
  const folder = await mkdtemp(join(tmpdir(), 'agreement-'))
  const running: Program[] = []
  const start = (name: string, ...flags: string[]) => {
    const program = startProgram(join(folderOfPrograms, name), join(folder, `${name}.log`), flags)
    running.push(program)
    return program
  }
  const stop = async () => {
    for (const program of running.toReversed()) await program.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const [etcd, peer, api] = await Promise.all([freePort(), freePort(), freePort()])
    startEtcd(start, folder, etcd, peer)
    await startApiServer(start, folder, etcd, api)
    const server = `https://127.0.0.1:${api}`
    const client = clientOf(server)
    await untilReady(client)
    const kubeconfig = join(folder, 'kubeconfig')
    await writeFile(kubeconfig, kubeconfigOf(server), { mode: 0o600 })
    return {
      client,
      kubeconfig,
      startKubeScheduler: async (configuration, ...flags) => {
        const file = join(folder, 'ksc.json')
        const clientConnection = { kubeconfig, qps: 5000, burst: 5000 }
        await writeFile(file, JSON.stringify({ ...configuration, clientConnection }))
        return start('kube-scheduler', `--config=${file}`, '--secure-port=0', ...flags)
      },
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Its output goes to the file. */
export function startProgram(path: string, log: string, flags: readonly string[]): Program {
  const output = createWriteStream(log)
  const child = spawn(path, flags, { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.pipe(output, { end: false })
  child.stderr.pipe(output, { end: false })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { log, stop, [Symbol.asyncDispose]: stop }
}

function clientOf(server: string): KubeClient {
  const authorization = async () => `Bearer ${token}`
  const config = { server, namespace: 'a', tls: { rejectUnauthorized: false }, authorization }
  return createClient(config, { userAgent: 'agreement' })
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'x', user: { token } }],
  })
}

type Start = (name: string, ...flags: string[]) => unknown

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
