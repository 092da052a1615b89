import { expect } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Node } from '@kubevirt-ts/api'
import { arm } from '../../framework/armed.ts'
import { ensure, eventually } from '../../framework/eventually.ts'
import { handlerOn } from '../../framework/faults.ts'
import { apply, getVmi, kubectl, list, vmiInPhase } from '../../framework/kubectl.ts'
import { onNode } from '../../framework/node.ts'
import { namespace as product } from '../../framework/product.ts'
import { scenario } from '../../framework/scenario.ts'
import { TickLog } from '../../framework/ticks.ts'
import { tryVirtctl } from '../../framework/virtctl.ts'
import { withEmptyDisk } from '../../manifests/empty-disk.ts'
import { tickingVm } from '../../manifests/ticking.ts'
import { counts, homeOf, oneRunningPod } from './moves.ts'

const name = 'stopped-short'
const certificates = '/etc/virt-handler/migrationservercertificates'

/** What may be wrong with the other node: the move fails and names it, the guest goes on where it is. Of `E2E_MIGRATION_WAYS`. */
export function obstacleScenarios(namespace: string): void {
  scenario(
    'a target whose disk is full fails the move and says so; the guest goes on',
    async () => {
      const before = 'dd if=/dev/urandom of=/dev/vdc bs=1M count=12; sync'
      await apply(withEmptyDisk(tickingVm({ name, namespace, graceSeconds: 0, before })))
      await vmiInPhase(namespace, name, 'Running')
      await counts(namespace, name)
      const handler = await handlerThere(namespace)
      await using full = await arm(handler, 'virt-handler', smallDisk)
      try {
        const made = full.act()
        expect(await failedMove(namespace)).toMatch(/No space left/i)
        await made
      } finally {
        await onNode(handler.spec.nodeName ?? '', ...withoutSmallDisk)
      }
      await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=60s')
    },
    300_000,
  )

  scenario(
    'a target whose QEMU is older and does not know the machine fails the move, and both versions are named; the guest goes on',
    async () => {
      await apply(tickingVm({ name, namespace, graceSeconds: 0 }))
      await vmiInPhase(namespace, name, 'Running')
      await counts(namespace, name)
      const node = (await handlerThere(namespace)).spec.nodeName ?? ''
      const machine = (await getVmi(namespace, name)).status?.machine?.type ?? ''
      await onNode(node, 'sh', '-c', olderQemu(machine))
      try {
        const said = await failedMove(namespace)
        expect(said).toContain(`does not support machine type '${machine}'`)
        expect(said).toMatch(
          /the versions differ: QEMU \d+\.\d+\.\d+ and .* QEMU 7\.2\.0 and .* need not fit an older one/,
        )
      } finally {
        await onNode(node, 'sh', '-c', qemuAsItIs)
      }
      await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=60s')
    },
    300_000,
  )

  scenario(
    'a certificate of the other node that has expired fails the move and is named; with a good one it succeeds',
    async () => {
      await apply(tickingVm({ name, namespace, graceSeconds: 0 }))
      await vmiInPhase(namespace, name, 'Running')
      const handler = await handlerThere(namespace)
      const inHandler = (...command: string[]) =>
        kubectl('exec', '-n', product, handler.metadata.name, '-c', 'virt-handler', '--', ...command)
      await inHandler('mount', '-t', 'tmpfs', 'none', certificates)
      try {
        const { cert, key } = await expired()
        const write = `const { writeFileSync } = require('node:fs')
          writeFileSync('${certificates}/tls.crt', ${JSON.stringify(cert)})
          writeFileSync('${certificates}/tls.key', ${JSON.stringify(key)})`
        await inHandler('/usr/bin/node', '-e', write)
        await eventually('the agent has read it', async () => {
          const log = await kubectl('logs', '-n', product, handler.metadata.name, '-c', 'virt-handler', '--since=60s')
          ensure(log.includes('certificate'), 'its log does not say so')
        })
        expect(await failedMove(namespace)).toMatch(/certificate has expired/)
      } finally {
        await inHandler('umount', '-l', certificates)
      }
      await eventually(
        'the guest moves',
        async () => {
          const { code, stderr } = await tryVirtctl('migrate', name, '-n', namespace, '--wait', '--timeout', '60')
          ensure(code === 0, stderr)
        },
        180_000,
      )
      await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=60s')
    },
    420_000,
  )
}

/** Tries to move the guest, sees that it goes on where it was, and answers why it did not move. */
async function failedMove(namespace: string): Promise<string> {
  using ticks = new TickLog()
  const home = await homeOf(namespace, name)
  ticks.follow(home)
  const { code, stderr } = await tryVirtctl('migrate', name, '-n', namespace, '--wait', '--timeout', '110')
  expect(code).toBe(1)
  const { status } = await getVmi(namespace, name)
  expect(status).toMatchObject({ phase: 'Running', nodeName: home.spec.nodeName })
  const heard = ticks.of(home).length
  await eventually('it counts on', async () => ensure(ticks.of(home).length > heard, `it stands at ${heard}`))
  expect(ticks.twice()).toEqual([])
  await oneRunningPod(namespace, name)
  return `${status?.migrationState?.failureReason} ${stderr}`
}

/** The agent of the node to which the guest would move. */
async function handlerThere(namespace: string) {
  const { status } = await getVmi(namespace, name)
  const nodes = await list<Node>('node', '', 'kubevirt.io/schedulable=true')
  const other = nodes.find(({ metadata }) => metadata.name !== status?.nodeName)
  ensure(other, 'there is no other node')
  return handlerOn(other.metadata.name)
}

/**
 * Gives the next pod on this node four megabytes for the folder in which its launcher keeps empty disks: once its kubelet
 * has made the volume of that, before a container gets it.
 */
const smallDisk = `
  const { chmodSync, existsSync, mkdirSync, readdirSync } = require('node:fs')
  const { execFileSync } = require('node:child_process')
  const pods = '/var/lib/kubelet/pods', inPod = '/volumes/kubernetes.io~empty-dir/libvirt-runtime'
  const all = () => readdirSync('/proc/1/root' + pods)
  const known = new Set(all()), begins = Date.now()
  let folder
  while (folder === undefined && Date.now() - begins < 60_000) {
    const pod = all().find((pod) => !known.has(pod) && existsSync('/proc/1/root' + pods + '/' + pod + inPod))
    if (pod !== undefined) folder = pods + '/' + pod + inPod
    else await new Promise((resolve) => setTimeout(resolve, 2))
  }
  if (folder === undefined) throw new Error('no pod has come')
  mkdirSync('/proc/1/root' + folder + '/empty-disks')
  chmodSync('/proc/1/root' + folder + '/empty-disks', 0o777)
  execFileSync('nsenter', ['--target=1', '--mount', '--',
    'mount', '-t', 'tmpfs', '-o', 'size=4m,mode=0777', 'none', folder + '/empty-disks'])`

const answers =
  '/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/*/fs/usr/share/kubevirt-ts/libvirt-cache/libvirt/qemu/cache/capabilities/*.xml'

/** What the launchers' image brings of QEMU's answers to libvirt, as an older QEMU would have given them: for new pods of the node. */
const olderQemu = (machine: string): string => `set -e
n=0; for file in ${answers}; do n=$((n+1)); cp "$file" /var/tmp/e2e-answers-$n
sed -i -e "/name='${machine}'/d" -e 's/<version>[0-9]*</<version>7002000</' "$file"; done; [ $n -gt 0 ]`

const qemuAsItIs = `n=0; for file in ${answers}; do n=$((n+1)); cat /var/tmp/e2e-answers-$n >"$file"; rm /var/tmp/e2e-answers-$n; done`

/** With it mounted the kubelet would not get rid of the volume. */
const withoutSmallDisk = ['sh', '-c', 'grep -o "[^ ]*/empty-disks" /proc/self/mounts | xargs -r umount -l']

/** A certificate for migrations of the installation's own authority, whose time is over as soon as it is made. */
async function expired(): Promise<{ readonly cert: string; readonly key: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'expired-'))
  const file = (name: string): string => join(folder, name)
  try {
    const secret = await kubectl('get', 'secret', 'kubevirt-ca', '-n', product, '-o', 'json')
    const { data } = JSON.parse(secret) as { data: Record<'tls.crt' | 'tls.key', string> }
    writeFileSync(file('ca.crt'), Buffer.from(data['tls.crt'], 'base64'))
    writeFileSync(file('ca.key'), Buffer.from(data['tls.key'], 'base64'), { mode: 0o600 })
    const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' })
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'ec.key')
    openssl('pkcs8', '-topk8', '-nocrypt', '-in', 'ec.key', '-out', 'tls.key')
    openssl('req', '-new', '-key', 'tls.key', '-subj', '/CN=kubevirt.io:system:client:migration', '-out', 'tls.csr')
    const signer = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-set_serial', '4711', '-days', '0']
    openssl('x509', '-req', '-in', 'tls.csr', ...signer, '-out', 'tls.crt')
    return { cert: readFileSync(file('tls.crt'), 'utf8'), key: readFileSync(file('tls.key'), 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
