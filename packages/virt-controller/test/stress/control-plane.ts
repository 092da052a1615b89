import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { X509Certificate, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { silentLog } from '@kubevirt-ts/controller/testing'
import type { KeyPair } from '../../src/certificates/held.ts'
import { newAuthority } from '../../src/certificates/sign.ts'
import { applyCrds } from '../../src/lifecycle/apply-crds.ts'

const token = 'stress'
/** virt-api lets nobody but KubeVirt's own say how a guest fares; of users it makes no difference. */
const user = 'system:serviceaccount:kubevirt:kubevirt-controller'
const dayMs = 86_400_000
const crds = fileURLToPath(new URL('../../../../charts/kubevirt/crds', import.meta.url))

/** etcd and an API server on the loopback, with the product's kinds; no node is real. All of it ends with it. */
export interface ControlPlane extends AsyncDisposable {
  /** Past every fault, for those who play the rest of the cluster. */
  readonly client: KubeClient
  /** Where the API server listens. */
  readonly server: string
  readonly token: string
  /** Signs for those whom the API server is to believe. */
  readonly authority: KeyPair
  readonly folder: string
  start(path: string, name: string, flags: readonly string[]): ChildProcess
  /** Kills etcd, or the API server too, and starts them again over what `meanwhile` leaves of the data. */
  strike(what: 'etcd' | 'both', meanwhile?: (data: string) => Promise<void>): Promise<void>
  /** Leaves the folder with the logs behind, and says where. */
  keepLogs(): void
}

/** `programs` is the folder of etcd and kube-apiserver. */
export async function startControlPlane(programs: string): Promise<ControlPlane> {
  const folder = await mkdtemp(join(tmpdir(), 'stress-'))
  const running: ChildProcess[] = []
  let keep = false
  const start: ControlPlane['start'] = (path, name, flags) => {
    const output = openSync(join(folder, `${name}.log`), 'a')
    const child = spawn(path, flags, { stdio: ['ignore', output, output] })
    running.push(child)
    return child
  }
  process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')))
  const stop = async (): Promise<void> => {
    for (const child of running.toReversed()) await end(child)
    if (!keep) await rm(folder, { recursive: true, force: true })
  }
  const keepLogs = (): void => {
    if (!keep) console.log(`logs: ${folder}`)
    keep = true
  }
  try {
    const [etcd, peer, api] = await Promise.all([freePort(), freePort(), freePort()])
    const startEtcd = () => start(join(programs, 'etcd'), 'etcd', etcdFlags(folder, etcd, peer))
    const signer = newAuthority(dayMs, Date.now())
    const authority = { ...signer, certificate: new X509Certificate(signer.cert) }
    const apiFlags = await apiServerFlags({ folder, etcd, port: api, authority })
    const startApi = () => start(join(programs, 'kube-apiserver'), 'kube-apiserver', apiFlags)
    let store = startEtcd()
    let apiServer = startApi()
    const server = `https://127.0.0.1:${api}`
    const config = {
      server,
      namespace: 'default',
      tls: { rejectUnauthorized: false },
      authorization: async () => `Bearer ${token}`,
    }
    const client = createClient(config, { userAgent: 'stress', timeoutMs: 300_000 })
    await untilReady(client, '/readyz')
    await applyCrds({ client, dir: crds, timeoutMs: 600_000, log: silentLog() })
    const strike: ControlPlane['strike'] = async (what, meanwhile = async () => undefined) => {
      if (what === 'both') await end(apiServer)
      await end(store)
      await meanwhile(join(folder, 'etcd'))
      store = startEtcd()
      if (what === 'both') apiServer = startApi()
      await untilReady(client, '/readyz')
    }
    return { client, server, token, authority, folder, start, strike, keepLogs, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Also one that is stopped. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

function etcdFlags(folder: string, port: number, peer: number): string[] {
  const url = `http://127.0.0.1:${port}`
  const peerUrl = `http://127.0.0.1:${peer}`
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--unsafe-no-fsync=true',
  ]
}

interface ApiServer {
  readonly folder: string
  readonly etcd: number
  readonly port: number
  readonly authority: KeyPair
}

async function apiServerFlags({ folder, etcd, port, authority }: ApiServer): Promise<string[]> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const keyFile = join(folder, 'service-account.pem')
  const tokens = join(folder, 'tokens.csv')
  await writeFile(keyFile, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 })
  const proxyAuthority = join(folder, 'proxy-authority.crt')
  await writeFile(tokens, `${token},${user},${user},system:masters\n`, { mode: 0o600 })
  await writeFile(proxyAuthority, authority.cert)
  return [
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${join(folder, 'api')}`,
    `--token-auth-file=${tokens}`,
    // virt-api wants to know whom to believe.
    `--requestheader-client-ca-file=${proxyAuthority}`,
    '--requestheader-username-headers=X-Remote-User',
    '--authorization-mode=AlwaysAllow',
    '--service-account-issuer=https://stress',
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
    '--service-cluster-ip-range=198.18.255.0/24',
    '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition,StorageObjectInUseProtection',
  ]
}

async function untilReady(client: KubeClient, path: `/${string}`): Promise<void> {
  for (const deadline = Date.now() + 180_000; Date.now() < deadline; await sleep(200)) {
    const answer = await client.request({ method: 'GET', path }).catch(() => undefined)
    if (answer?.status === 200) return
  }
  throw new Error(`the API server did not serve ${path} within three minutes`)
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
