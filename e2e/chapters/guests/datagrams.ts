import { expect } from '@jest/globals'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { ensure, eventually } from '../../framework/eventually.ts'
import { scenario } from '../../framework/scenario.ts'
import { Console, portForwarded } from '../../framework/virtctl.ts'

const port = 7007
/** Says each datagram backwards, so that no mirror on the way can pass for the guest. */
const server = [
  'import socket',
  's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)',
  `s.bind(("", ${port}))`,
  'print("listens" + "-now", flush=True)',
  'while True:',
  '  text, client = s.recvfrom(65535)',
  '  s.sendto(text[::-1], client)',
].join('\n')

/** A guest of Debian that runs already answers UDP through virtctl. */
export function datagramScenario(namespace: string, name: string): void {
  scenario('datagrams reach a guest through virtctl port-forward, each whole, and its answers come back', async () => {
    await using console = new Console(namespace, name)
    await console.logIn('debian', 'changeme')
    const program = Buffer.from(server).toString('base64')
    await console.ask(`echo ${program} | base64 -d > /tmp/backwards.py; python3 /tmp/backwards.py &`, /listens-now/)
    await using forward = await portForwarded(`vmi/${name}`, `udp/0:${port}`, '-n', namespace)
    for (const length of [1, 512, 1400, 9000]) {
      const letters = Array.from({ length }, (_, index) => String.fromCharCode(97 + (index % 26)))
      const sent = letters.join('')
      // A datagram may be lost on the way, so it is sent until its answer comes.
      await eventually(`${length} bytes come back`, async () => {
        const answer = await askByDatagram(forward.port, sent)
        ensure(answer !== undefined, 'nothing came')
        expect(answer).toBe(letters.toReversed().join(''))
      })
    }
    await console.ask('kill %1; wait', /Terminated/)
  })
}

async function askByDatagram(port: number, text: string): Promise<string | undefined> {
  const socket = createSocket('udp4')
  try {
    socket.send(text, port, '127.0.0.1')
    const [answer] = (await once(socket, 'message', { signal: AbortSignal.timeout(5_000) })) as [Buffer]
    return answer.toString()
  } catch {
    return undefined
  } finally {
    socket.close()
  }
}
