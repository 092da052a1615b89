import { expect } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Node } from '@kubevirt-ts/api'
import { ensure, eventually } from '../../framework/eventually.ts'
import { handlerOn } from '../../framework/faults.ts'
import { apply, getVmi, kubectl, list, vmiInPhase } from '../../framework/kubectl.ts'
import { namespace as product } from '../../framework/product.ts'
import { scenario } from '../../framework/scenario.ts'
import { TickLog } from '../../framework/ticks.ts'
import { tryVirtctl } from '../../framework/virtctl.ts'
import { tickingVm } from '../../manifests/ticking.ts'
import { homeOf, oneRunningPod } from './moves.ts'

const name = 'stopped-short'
const certificates = '/etc/virt-handler/migrationservercertificates'

/** What may be wrong with the other node: the move fails and names it, the guest goes on where it is. Of `E2E_MIGRATION_WAYS`. */
export function obstacleScenarios(namespace: string): void {
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
