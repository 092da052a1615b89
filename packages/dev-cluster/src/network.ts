import { existsSync, readFileSync } from 'node:fs'
import { nodeAddressesOf } from './addresses.ts'
import type { Cluster } from './cluster.ts'
import { Failure } from './failure.ts'
import { command, tryCommand } from './process/command.ts'

const linkExists = (name: string): boolean => existsSync(`/sys/class/net/${name}`)

/** Makes the bridge that joins the host and the nodes. */
export async function ensureBridge({ addresses }: Cluster): Promise<void> {
  const { bridge, hostWithPrefix } = addresses
  if (!linkExists(bridge)) await ip('link', 'add', bridge, 'type', 'bridge')
  await ip('address', 'replace', hostWithPrefix, 'dev', bridge)
  await ip('link', 'set', bridge, 'up')
  await passBridgedPackets(bridge)
}

/** Whether a cluster, of another state folder perhaps, has this bridge. */
export const bridgeExists = (bridge: string): boolean => linkExists(bridge)

/** Connects the network namespace of a process to the bridge, as `eth0`, and the host to its pods. */
export async function plugIn(cluster: Cluster, node: number, pid: number): Promise<void> {
  const { address, link, pods } = nodeAddressesOf(cluster.slot, node)
  await removeLink(link)
  await ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid))
  await ip('link', 'set', link, 'master', cluster.addresses.bridge, 'up')
  await ip('route', 'replace', pods, 'via', address)
}

/** Removes the bridge; routes and cables go with it. */
export async function removeNetwork(cluster: Cluster): Promise<void> {
  const { bridge } = cluster.addresses
  for (let node = 1; node <= cluster.nodes; node++) {
    await removeLink(nodeAddressesOf(cluster.slot, node).link)
  }
  const { stdout } = await tryCommand(['iptables', '-w', '-S', 'FORWARD'])
  if (stdout.includes(`kubevirt-ts ${bridge}`)) await command(['iptables', '-w', '-D', ...passRule(bridge)])
  await removeLink(bridge)
}

/**
 * Removes a network link; one that is not there is no error. The kernel takes a node's cable away by itself, some time
 * after the last process in the node's network has ended, so whether it is there is asked after the attempt.
 * @throws Failure when it is there and stays
 */
export async function removeLink(name: string): Promise<void> {
  const argv = ['ip', 'link', 'delete', name]
  const { code, stderr } = await tryCommand(argv)
  if (code === 0 || !linkExists(name)) return
  throw new Failure('NetworkFailed', `the network link ${name} cannot be removed`, {
    command: argv.join(' '),
    output: stderr,
  })
}

const passRule = (bridge: string): string[] => [
  'FORWARD',
  '-i',
  bridge,
  '-o',
  bridge,
  '-m',
  'comment',
  '--comment',
  `kubevirt-ts ${bridge}`,
  '-j',
  'ACCEPT',
]

// Where the kernel shows bridged packets to the firewall (Docker asks for that) and the firewall does not let
// everything pass, the nodes' packets need a rule.
async function passBridgedPackets(bridge: string): Promise<void> {
  const setting = '/proc/sys/net/bridge/bridge-nf-call-iptables'
  if (!existsSync(setting) || readFileSync(setting, 'utf8').trim() !== '1') return
  const { stdout } = await tryCommand(['iptables', '-w', '-S', 'FORWARD'])
  if (letsAllPass(stdout) || stdout.includes(`kubevirt-ts ${bridge}`)) return
  await command(['iptables', '-w', '-I', ...passRule(bridge)])
}

/** Whether a chain, as `iptables -S` prints it, is without effect. */
export const letsAllPass = (chain: string): boolean => /^(-P FORWARD ACCEPT)?$/.test(chain.trim())

/**
 * Refuses a machine that has a network of its own at the cluster's addresses.
 * @throws Failure with that network's routes
 */
export async function requireAddresses({ addresses }: Cluster): Promise<void> {
  const { stdout } = await tryCommand(['ip', '-o', 'route', 'show', 'root', '198.18.0.0/15'])
  const foreign = stdout.split('\n').filter((line) => line.trim() && !line.includes(' dev kvts'))
  if (foreign.length === 0) return
  throw new Failure('AddressesInUse', `the addresses of the cluster (${addresses.pods} and others) are in use here`, {
    output: foreign.join('\n'),
    remedy: 'remove these routes, or use a cluster that you have: set KUBECONFIG',
  })
}

const ip = (...args: string[]): Promise<string> => command(['ip', ...args], { reason: 'NetworkFailed' })
