import { readFile } from 'node:fs/promises'
import type { Interface, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { NetworkCache } from '@kubevirt-ts/handler-launcher-com'
import { hostname } from '@kubevirt-ts/vmispec'
import type { Lease } from './dhcp/lease.ts'
import { linkLayerDuid, type Lease6 } from './dhcpv6/answer.ts'
import { parseResolvConf, withSubdomain } from './resolv-conf.ts'

/** What the guest is told by DHCP and DHCPv6 on one card. */
export type GuestLeases = { readonly ipv4?: Lease; readonly ipv6?: Lease6 }

/**
 * Puts together the card's addresses, the pod's name service and the VMI's wishes.
 * @param bridgeMac of the guest's bridge, which the server answers from
 */
export async function guestLeases(
  vmi: VirtualMachineInstance,
  card: Interface,
  { ipv4, ipv6, mtu }: NetworkCache,
  bridgeMac: string,
): Promise<GuestLeases> {
  const resolv = parseResolvConf(await readFile('/etc/resolv.conf', 'utf8').catch(() => ''))
  const searchDomains = withSubdomain(resolv.search, vmi.spec.subdomain)
  const { dhcpOptions } = card
  return {
    ...(ipv4 && {
      ipv4: {
        ...ipv4,
        dns: resolv.nameservers,
        mtu,
        hostname: hostname(vmi),
        searchDomains,
        ntpServers: dhcpOptions?.ntpServers,
        tftpServer: dhcpOptions?.tftpServerName,
        bootFile: dhcpOptions?.bootFileName,
        privateOptions: Object.fromEntries(
          (dhcpOptions?.privateOptions ?? []).map(({ option, value }) => [option, value]),
        ),
      },
    }),
    ...(ipv6 && {
      ipv6: { address: ipv6.address, dns: resolv.nameservers6, searchDomains, serverId: linkLayerDuid(bridgeMac) },
    }),
  }
}
