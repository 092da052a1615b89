import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createInterface } from 'node:readline'
import { expect } from '@jest/globals'
import type { Node, Pod } from '@kubevirt-ts/api'
import { arm } from '../../framework/armed.ts'
import { ensure, eventually } from '../../framework/eventually.ts'
import { handlerOn } from '../../framework/faults.ts'
import { figure } from '../../framework/figure.ts'
import { apply, getVmi, kubectl, list, vmiInPhase } from '../../framework/kubectl.ts'
import { namespace as product } from '../../framework/product.ts'
import { scenario } from '../../framework/scenario.ts'
import { tools } from '../../framework/tools.ts'
import { virtctl } from '../../framework/virtctl.ts'
import { secondaryCardVm } from '../../manifests/cards.ts'
import { homeOf } from './moves.ts'

const name = 'talker'
/** As often there and back as the traveller of this chapter. */
const moves = 2 * Number(process.env['E2E_MIGRATION_ROUNDS'] ?? 1)
const [nodeAddress, guestAddress, port] = ['10.77.0.1', '10.77.0.2', 7777]
/** The guest answers with what it hears. */
const userData = `#!/bin/sh
ip addr add ${guestAddress}/24 dev eth1
ip link set eth1 up
nc -ll -p ${port} -e cat &
`
const card = { name: 'blue', networkName: 'blue-net', userData }
const link = `pod${createHash('sha256').update(card.name).digest('hex').slice(0, 11)}`
const bridge = 'e2eblue'
const tunnel = 'e2eblue-vx'

/** A guest takes its address on a network of its own along, and whoever talks to it. Of `E2E_MIGRATION_WAYS`. */
export function secondaryScenario(namespace: string): void {
  scenario(
    `a TCP connection over a secondary network that both nodes have survives ${moves} moves there and back`,
    async () => {
      const nodes = await list<Node>('node', '', 'kubevirt.io/schedulable=true')
      const handlers = await Promise.all(nodes.map(({ metadata }) => handlerOn(metadata.name)))
      await joinNodes(handlers)
      try {
        await withLink(handlers, () => apply(secondaryCardVm(card, { name, namespace, graceSeconds: 0 })))
        await vmiInPhase(namespace, name, 'Running')
        using talk = new Talk(handlers[0]!)
        await talk.goesOn()
        for (let move = 1; move <= moves; move++) {
          const { status } = await getVmi(namespace, name)
          const others = handlers.filter(({ spec }) => spec.nodeName !== status?.nodeName)
          await withLink(others, () => virtctl('migrate', name, '-n', namespace, '--wait', '--timeout', '110'))
          expect((await homeOf(namespace, name)).spec.nodeName).toBe(others[0]?.spec.nodeName)
          await talk.goesOn()
        }
        figure(`longest silence of the connection in ${moves} moves`, talk.longestSilenceMs)
        await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
      } finally {
        for (const handler of handlers)
          await inNetworkOf(handler, `link delete ${bridge}`, `link delete ${tunnel}`).catch(() => undefined)
      }
    },
    300_000 + moves * 60_000,
  )
}

/** A network of its own that both nodes have: a bridge on each, and a tunnel between them. */
async function joinNodes(handlers: readonly Pod[]): Promise<void> {
  for (const [index, handler] of handlers.entries()) {
    const other = handlers[1 - index]?.status?.hostIP
    await inNetworkOf(
      handler,
      `link add ${bridge} type bridge`,
      `link add ${tunnel} type vxlan id 77 remote ${other} dstport 4789 dev eth0`,
      `link set ${tunnel} master ${bridge} up`,
      `link set ${bridge} up`,
      ...(index === 0 ? [`address add ${nodeAddress}/24 dev ${bridge}`] : []),
    )
  }
}

/** Runs `ip` in the network of the node on which an agent runs. */
async function inNetworkOf({ metadata }: Pod, ...lines: readonly string[]): Promise<void> {
  const where = ['exec', '-n', product, metadata.name, '-c', 'virt-handler', '--']
  for (const line of lines)
    await kubectl(...where, 'nsenter', '--target=1', '--mount', '--net', '--', 'ip', ...line.split(' '))
}

/** The cluster has no Multus: what it does with the guest's next pod, on whichever of these nodes, the test does in its place. */
async function withLink<T>(handlers: readonly Pod[], work: () => Promise<T>): Promise<T> {
  const armed = await Promise.all(handlers.map((handler) => arm(handler, 'virt-handler', joinPod)))
  try {
    const joined = Promise.any(armed.map((each) => each.act()))
    const [done] = await Promise.all([work(), joined])
    return done
  } finally {
    for (const each of armed) await each[Symbol.asyncDispose]()
  }
}

/** Before its launcher answers: Multus would have done it before the pod's first container. */
const joinPod = `
  const { execFileSync } = require('node:child_process')
  const { readdirSync, readFileSync } = require('node:fs')
  const launchers = () => readdirSync('/proc').filter((pid) => {
    if (!/^\\d+$/.test(pid)) return false
    try {
      const line = readFileSync('/proc/' + pid + '/cmdline', 'latin1').split('\\0')
      return line[0].endsWith('virt-launcher-monitor') && line.includes('${name}')
    } catch { return false }
  })
  const known = new Set(launchers())
  let pid
  while ((pid = launchers().find((each) => !known.has(each))) === undefined) await new Promise((resolve) => setTimeout(resolve, 2))
  const end = 'e2e' + pid
  const onNode = (...words) => execFileSync('nsenter', ['--target=1', '--mount', '--net', '--', 'ip', ...words])
  onNode('link', 'add', end, 'type', 'veth', 'peer', 'name', '${link}', 'netns', pid)
  execFileSync('nsenter', ['--net=/proc/' + pid + '/ns/net', 'ip', 'link', 'set', '${link}', 'up'])
  onNode('link', 'set', end, 'master', '${bridge}', 'up')`

/** Talks to the guest from a node: one connection, on which it hears again whatever it says. */
class Talk implements Disposable {
  readonly #child
  #heard = 0
  #heardAt = Date.now()
  #longest = 0
  #ended = ''

  constructor({ metadata }: Pod) {
    const script = `
      let said = 0
      const talk = () => {
        const socket = require('node:net').connect(${port}, '${guestAddress}', () =>
          setInterval(() => socket.write(++said + '\\n'), 50))
        socket.on('data', (text) => process.stdout.write(text))
        socket.on('error', (error) => said > 0 && console.error(String(error)))
        socket.on('close', () => said > 0 ? process.exit(1) : setTimeout(talk, 200))
      }
      talk()`
    const where = ['exec', '-n', product, metadata.name, '-c', 'virt-handler', '--']
    const program = ['nsenter', '--target=1', '--net', '--', '/usr/bin/node', '-e', script]
    this.#child = spawn(tools().kubectl, [...where, ...program], { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#ended += text))
    this.#child.once('close', () => (this.#ended ||= 'ended'))
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#hear(Number(line)))
  }

  #hear(number: number): void {
    if (number !== this.#heard + 1) this.#ended ||= `${number} was heard after ${this.#heard}`
    if (this.#heard > 0) this.#longest = Math.max(this.#longest, Date.now() - this.#heardAt)
    this.#heardAt = Date.now()
    this.#heard = number
  }

  get longestSilenceMs(): number {
    return this.#longest
  }

  /** Waits until more is heard than so far, on the connection of the beginning. */
  async goesOn(): Promise<void> {
    const before = this.#heard
    const ended = await eventually('more is heard', async () => {
      ensure(this.#heard > before + 10 || this.#ended !== '', `the last was ${this.#heard}`)
      return this.#ended
    })
    expect(ended).toBe('')
  }

  [Symbol.dispose](): void {
    this.#child.kill()
  }
}
