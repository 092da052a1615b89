import { check, libc } from './libc.ts'

const afInet = 2
const afInet6 = 10
const ipprotoIpv6 = 41
const ipv6V6only = 26
const sockDgram = 2
const sockNonblock = 0o4000
const sockCloexec = 0o2000000
const solSocket = 1
const soReuseaddr = 2
const soBroadcast = 6
const soBindtodevice = 25

/**
 * A UDP socket that receives only what arrives on one network device and sends only through it, broadcasts
 * included; a DHCP server must not answer to or hear from any other side.
 *
 * @param port to listen on, on all addresses; below 1024 the caller needs CAP_NET_BIND_SERVICE
 * @param family 6 for IPv6 alone
 * @returns a descriptor for `dgram`'s `bind({ fd })`, which then owns it
 * @throws SystemCallError with code ENODEV when there is no such device
 */
export function udpSocketOnDevice(device: string, port: number, family: 4 | 6 = 4): number {
  const domain = family === 4 ? afInet : afInet6
  const fd = check('socket', libc().socket(domain, sockDgram | sockNonblock | sockCloexec, 0), device)
  try {
    setOption(fd, soReuseaddr, one(), device)
    setOption(fd, soBroadcast, one(), device)
    setOption(fd, soBindtodevice, Buffer.from(`${device}\0`), device)
    if (family === 6) setOption(fd, ipv6V6only, one(), device, ipprotoIpv6)
    const address = anyAddress(port, family)
    check('bind', libc().bind(fd, address, address.length), `port ${port} on ${device}`)
    return fd
  } catch (error) {
    libc().close(fd)
    throw error
  }
}

function setOption(fd: number, name: number, value: Buffer, device: string, level = solSocket): void {
  check('setsockopt', libc().setsockopt(fd, level, name, value, value.length), device)
}

function one(): Buffer {
  const value = Buffer.alloc(4)
  value.writeInt32LE(1)
  return value
}

/** struct sockaddr_in or sockaddr_in6 with the address 0.0.0.0 or `::`. */
function anyAddress(port: number, family: 4 | 6): Buffer {
  const address = Buffer.alloc(family === 4 ? 16 : 28)
  address.writeUInt16LE(family === 4 ? afInet : afInet6, 0)
  address.writeUInt16BE(port, 2)
  return address
}
