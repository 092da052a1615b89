/** A guest's device that says as much as it can: a program of its own, `node device.ts SOCKET MIB`. */
import { createServer } from 'node:net'

const [path = '', mib = ''] = process.argv.slice(2)
const chunk = Buffer.alloc(64 * 1024, 'a console that never stops ')
const chunks = (Number(mib) * 1024 * 1024) / chunk.length

createServer((socket) => {
  let left = chunks
  const say = (): void => {
    while (left-- > 0) if (!socket.write(chunk)) return void socket.once('drain', say)
    socket.end()
  }
  socket.on('error', () => socket.destroy())
  say()
}).listen(path, () => process.send?.('ready'))
process.once('disconnect', () => process.exit())
