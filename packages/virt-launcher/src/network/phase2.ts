import { readFile } from 'node:fs/promises'
import type { Interface, VirtualMachineInstance } from '@kubevirt-ts/api'
import { VirtError, type Logger } from '@kubevirt-ts/service'
import { type LinkNames, linkNames, networkNamed, presentInterfaces } from '@kubevirt-ts/vmispec'
import type { NetworkPlan } from '../virtwrap/launcher.ts'
import { readNetworkCache } from './cache.ts'
import { startDhcpServer } from './dhcp/server.ts'
import { startDhcpv6Server } from './dhcpv6/server.ts'
import { guestLeases } from './guest-leases.ts'

/**
 * The launcher's part of a guest's network. virt-handler made the links before; here the domain learns their names
 * and the guest gets its address. Can be repeated: a server that runs goes on.
 */
export function networkPhase2(log: Logger, privateDir: string) {
  /** By bridge. */
  const servers = new Map<string, { close(): void }[]>()

  const serve = async (vmi: VirtualMachineInstance, card: Interface, links: LinkNames, mac: string): Promise<void> => {
    const cache = await readNetworkCache(privateDir, card.name)
    if (servers.has(links.bridge) || !(cache?.ipv4 ?? cache?.ipv6)) return
    const leases = await guestLeases(vmi, card, cache, await linkFact(links.bridge, 'address'))
    const device = links.bridge
    servers.set(device, [
      ...(leases.ipv4 ? [await startDhcpServer({ device, lease: leases.ipv4, clientMac: mac, log })] : []),
      ...(leases.ipv6 ? [await startDhcpv6Server(device, leases.ipv6, log)] : []),
    ])
  }

  return {
    async prepare(vmi: VirtualMachineInstance): Promise<NetworkPlan> {
      const plan = new Map<string, { tap: string; mac: string; mtu: number }>()
      for (const card of presentInterfaces(vmi.spec)) {
        const network = networkNamed(vmi.spec, card.name)
        const cache = await readNetworkCache(privateDir, card.name)
        if (!network || !cache || card.passtBinding) continue
        const known = vmi.status?.interfaces?.find(({ name }) => name === card.name)
        const links = linkNames(network, known?.podInterfaceName)
        const mac = card.macAddress ?? known?.mac ?? cache.mac
        await serve(vmi, card, links, mac)
        plan.set(card.name, { tap: links.tap, mac, mtu: cache.mtu })
      }
      return plan
    },
    /** Ends what was done for a card that the guest no longer has. */
    release(vmi: VirtualMachineInstance, card: string): void {
      const network = networkNamed(vmi.spec, card)
      if (!network) return
      const known = vmi.status?.interfaces?.find(({ name }) => name === card)
      const { bridge } = linkNames(network, known?.podInterfaceName)
      for (const server of servers.get(bridge) ?? []) server.close()
      servers.delete(bridge)
    },
    close(): void {
      for (const each of servers.values()) for (const server of each) server.close()
    },
  }
}

async function linkFact(link: string, fact: 'mtu' | 'address'): Promise<string> {
  try {
    return (await readFile(`/sys/class/net/${link}/${fact}`, 'utf8')).trim()
  } catch (cause) {
    throw new VirtError(
      'NetworkLinkMissing',
      `link ${link} is not in the pod; virt-handler makes it before the guest is started`,
      { cause },
    )
  }
}
