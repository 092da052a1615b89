import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect } from '@jest/globals'
import type { Node, Pod } from '@kubevirt-ts/api'
import { ensure, eventually } from '../../framework/eventually.ts'
import { handlerOn } from '../../framework/faults.ts'
import { apply, getVmi, kubectl, list, vmiInPhase } from '../../framework/kubectl.ts'
import { namespace as product } from '../../framework/product.ts'
import { scenario } from '../../framework/scenario.ts'
import { tools } from '../../framework/tools.ts'
import { Console, virtctl } from '../../framework/virtctl.ts'
import { debianVm } from '../../manifests/vms.ts'

const name = 'worker'
const port = 7788

/** Says one number after the other to a server, and hears each again; connects anew when that fails. */
const talking = (address: string): string => `import socket, time
n = 0
while True:
    try:
        with socket.create_connection(("${address}", ${port}), 5) as server:
            server.settimeout(5)
            while True:
                n += 1
                server.sendall(b"%d\\n" % n)
                if not server.recv(64):
                    break
                time.sleep(0.2)
    except OSError:
        time.sleep(0.5)
`

const userData = (address: string): string => `#cloud-config
password: changeme
chpasswd: { expire: false }
write_files:
- path: /root/talk.py
  encoding: b64
  content: ${Buffer.from(talking(address)).toString('base64')}
runcmd:
- [sh, -c, 'nohup python3 /root/talk.py >/dev/null 2>&1 &']
`

/** A guest with an agent, and a folder of its pod. */
function workerVm(namespace: string, address: string) {
  const vm = debianVm({ name, namespace, graceSeconds: 0 }, userData(address))
  const { template } = vm.spec
  const { domain, volumes } = template.spec
  const spec = {
    ...template.spec,
    domain: { ...domain, devices: { ...domain.devices, filesystems: [{ name: 'share', virtiofs: {} }] } },
    volumes: [...volumes, { name: 'share', configMap: { name } }],
  }
  return { ...vm, spec: { ...vm.spec, template: { ...template, spec } } }
}

/** What comes along on a move, and what does not: `E2E_MIGRATION_WAYS=1`. */
export function alongScenario(namespace: string): void {
  scenario(
    'a guest that moves finds its clock set and its folder there; what it says to the outside begins anew',
    async () => {
      const metadata = { name, namespace }
      await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { word: 'from the folder' } })
      const [node] = await list<Node>('node', '')
      const server = await handlerOn(node?.metadata.name ?? '')
      using heard = new Heard(server)
      await apply(workerVm(namespace, server.status?.hostIP ?? ''))
      await vmiInPhase(namespace, name, 'Running', { timeoutMs: 180_000 })
      await using console = new Console(namespace, name)
      await console.logIn('debian', 'changeme', 600_000)
      await eventually('its agent answers', async () => {
        const conditions = (await getVmi(namespace, name)).status?.conditions ?? []
        ensure(
          conditions.some(({ type }) => type === 'AgentConnected'),
          JSON.stringify(conditions),
        )
      })
      await console.ask('sudo mount -t virtiofs share /mnt; cat /mnt/word', /^from the folder/m)
      await heard.more(1)
      await console.ask('sudo date -s 2001-02-03; date +year-%Y', /^year-2001/m)

      const told = await virtctl('migrate', name, '-n', namespace, '--wait', '--timeout', '200')

      expect(told).toContain(`VM ${name} moved from`)
      await using after = new Console(namespace, name)
      await after.logIn('debian', 'changeme')
      await eventually('its clock is set', async () => {
        const said = await after.ask('date +time-%s', /^time-\d+/m)
        const seconds = Number(/time-(\d+)/.exec(said)?.[1])
        ensure(Math.abs(seconds - Date.now() / 1_000) < 60, said)
      })
      await after.ask('echo 3 | sudo tee /proc/sys/vm/drop_caches; cat /mnt/word', /^from the folder/m)
      // Its pod has another address, so the first connection has ended.
      await heard.more(2)
      await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
    },
    1_200_000,
  )
}

/** Listens on a node for what a guest says: each of its connections by its number. */
class Heard implements Disposable {
  readonly #child
  readonly #words: string[] = []

  constructor({ metadata }: Pod) {
    const script = `
      let connections = 0
      require('node:net').createServer((socket) => {
        const number = ++connections
        socket.on('data', (text) => { console.log(number + ' ' + text); socket.write(text) })
        socket.on('error', () => {})
      }).listen(${port})`
    const where = ['exec', '-n', product, metadata.name, '-c', 'virt-handler', '--']
    const program = ['nsenter', '--target=1', '--net', '--', '/usr/bin/node', '-e', script]
    this.#child = spawn(tools().kubectl, [...where, ...program], { stdio: ['ignore', 'pipe', 'inherit'] })
    createInterface({ input: this.#child.stdout }).on('line', (line) => line !== '' && this.#words.push(line))
  }

  /** Waits until more is heard, on the connection of that number. */
  async more(connection: number): Promise<void> {
    const before = this.#words.length
    await eventually(
      `the guest speaks on connection ${connection}`,
      async () => {
        const last = this.#words.at(-1)
        ensure(this.#words.length > before && last?.startsWith(`${connection} `), `the last was ${last}`)
      },
      300_000,
    )
  }

  [Symbol.dispose](): void {
    this.#child.kill()
  }
}
