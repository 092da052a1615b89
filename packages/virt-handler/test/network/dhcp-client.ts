import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Namespace } from './namespaces.ts'

/** What busybox's udhcpc was told, by the names it gives to its script. */
export type Told = Readonly<Record<string, string>>

/**
 * Lets a real DHCP client configure `eth0` of the guest as distributions' scripts do, and answers what it was told.
 * Throws when nobody offers an address.
 */
export function runDhcpClient(guest: Namespace, folder: string): Told {
  const script = join(folder, 'udhcpc.sh')
  writeFileSync(
    script,
    `#!/bin/sh
[ "$1" = bound ] || exit 0
ip link set dev $interface mtu $mtu
ip address add $ip/$mask dev $interface
set -- $staticroutes
[ $# -gt 0 ] || set -- 0.0.0.0/0 $router
while [ $# -gt 1 ]; do
  if [ "$2" = 0.0.0.0 ]; then ip route add $1 dev $interface; else ip route add $1 via $2 dev $interface; fi
  shift 2
done
env
`,
    { mode: 0o755 },
  )
  const options = ['mtu', 'search', 'staticroutes', 'ntpsrv'].flatMap((name) => ['-O', name])
  const command = ['busybox', 'udhcpc', '-i', 'eth0', '-n', '-q', '-f', '-t', '10', '-T', '1', ...options, '-s', script]
  const printed = guest.run(command as [string, ...string[]])
  return Object.fromEntries(
    printed.split('\n').flatMap((line) => {
      const at = line.indexOf('=')
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : []
    }),
  )
}

/** A DHCPv6 client as a program: asks in two steps and prints the address it was given. */
export const dhcpv6Client = `
const dgram = require('node:dgram')
const socket = dgram.createSocket({ type: 'udp6', reuseAddr: true })
const option = (code, value) => Buffer.concat([Buffer.from([0, code, 0, value.length]), value])
const clientId = option(1, Buffer.from('000300010200000000aa', 'hex'))
const ask = (type, more) => {
  const message = Buffer.concat([Buffer.from([type, 1, 2, 3]), clientId, option(3, Buffer.from('000000070000000000000000', 'hex')), ...more])
  socket.send(message, 547, 'ff02::1:2%eth0', (error) => error && setTimeout(() => ask(type, more), 100))
}
const find = (bytes, code) => {
  for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt16BE(at + 2))
    if (bytes.readUInt16BE(at) === code) return bytes.subarray(at + 4, at + 4 + bytes.readUInt16BE(at + 2))
}
let again
socket.on('message', (bytes) => {
  const options = bytes.subarray(4)
  clearInterval(again)
  if (bytes[0] === 2) return ask(3, [option(2, find(options, 2))])
  const address = find(find(options, 3).subarray(12), 5).subarray(0, 16)
  const dns = find(options, 23)
  console.log(JSON.stringify({ type: bytes[0], address: address.toString('hex'), dns: dns && dns.toString('hex') }))
  socket.close()
})
socket.bind(546, () => { socket.setMulticastInterface('::%eth0'); ask(1, []); again = setInterval(() => ask(1, []), 500) })
`
