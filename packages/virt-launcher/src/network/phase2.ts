import { readFile } from 'node:fs/promises'
import type { Interface, VirtualMachineInstance } from '@kubevirt-ts/api'
import { VirtError, type Logger } from '@kubevirt-ts/service'
import { hostname, linkNames, masqueradeCidrs, networkNamed, presentInterfaces } from '@kubevirt-ts/vmispec'
import type { NetworkPlan } from '../virtwrap/launcher.ts'
import { startDhcpServer, type DhcpServer } from './dhcp/server.ts'
import type { Lease } from './dhcp/lease.ts'
import { masqueradeAddresses } from './masquerade.ts'
import { parseResolvConf, withSubdomain } from './resolv-conf.ts'

/**
 * The launcher's part of a guest's network. virt-handler made the links before; here the domain learns their names
 * and the guest gets its address. Can be repeated: a server that runs goes on.
 */
export function networkPhase2(log: Logger) {
  const servers = new Map<string, DhcpServer>()
  return {
    async prepare(vmi: VirtualMachineInstance): Promise<NetworkPlan> {
      const plan = new Map<string, { tap: string; mac?: string; mtu?: number }>()
      for (const card of presentInterfaces(vmi.spec)) {
        const network = networkNamed(vmi.spec, card.name)
        if (!network || !(card.masquerade ?? card.bridge)) continue
        const links = linkNames(network)
        const mtu = Number(await linkFact(links.tap, 'mtu'))
        const mac = card.macAddress ?? (await linkFact(links.pod, 'address'))
        plan.set(card.name, { tap: links.tap, mac, mtu })
        if (!card.masquerade || servers.has(links.bridge)) continue
        const lease = await masqueradeLease(vmi, card, { mtu, cidr: masqueradeCidrs(network).ipv4 })
        servers.set(links.bridge, await startDhcpServer({ device: links.bridge, lease, clientMac: mac, log }))
      }
      return plan
    },
    close(): void {
      for (const server of servers.values()) server.close()
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

async function masqueradeLease(
  vmi: VirtualMachineInstance,
  { dhcpOptions }: Interface,
  { mtu, cidr }: { mtu: number; cidr: string },
): Promise<Lease> {
  const { gateway, guest, prefixLength } = masqueradeAddresses(cidr)
  const { nameservers, search } = parseResolvConf(await readFile('/etc/resolv.conf', 'utf8').catch(() => ''))
  return {
    address: guest,
    prefixLength,
    server: gateway,
    router: gateway,
    dns: nameservers,
    mtu,
    hostname: hostname(vmi),
    searchDomains: withSubdomain(search, vmi.spec.subdomain),
    ntpServers: dhcpOptions?.ntpServers,
    tftpServer: dhcpOptions?.tftpServerName,
    bootFile: dhcpOptions?.bootFileName,
    privateOptions: Object.fromEntries((dhcpOptions?.privateOptions ?? []).map(({ option, value }) => [option, value])),
  }
}
