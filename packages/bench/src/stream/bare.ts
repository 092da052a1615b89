/**
 * The reference for streams: one TLS server that puts what a socket says into frames, and nothing else; a program of its
 * own, `node bare.ts SOCKET`.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import { selfSigned } from '@kubevirt-ts/service'

const [path = ''] = process.argv.slice(2)
const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** The beginning of a binary frame of any length. */
function header(length: number): Buffer {
  const bytes = Buffer.alloc(10)
  bytes.writeUInt16BE(0x82_7f)
  bytes.writeBigUInt64BE(BigInt(length), 2)
  return bytes
}

const server = createServer(selfSigned('bare'))
server.on('upgrade', ({ headers }, client) => {
  const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${magic}`).digest('base64')
  const protocol = headers['sec-websocket-protocol']
  client.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n` +
      `Sec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
  )
  const device = connect(path)
  device.on('data', (data: Buffer) => {
    client.write(header(data.length))
    if (client.write(data)) return
    device.pause()
    client.once('drain', () => device.resume())
  })
  device.once('end', () => client.end())
  for (const [from, to] of [[device, client] as const, [client, device] as const]) from.on('error', () => to.destroy())
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit())
