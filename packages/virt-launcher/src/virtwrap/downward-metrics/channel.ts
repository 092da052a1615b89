import { connect, type Socket } from 'node:net'

const request = 'GET /metrics/XML'
/** Longer than any request is: what a guest sends beyond is dropped. */
const mostBytes = 256

/**
 * Answers the guest on its channel, a socket of QEMU's: each request is a line that an empty one follows.
 * @param metrics what it is answered, an XML document
 */
export function answerMetrics(socket: string, metrics: () => Promise<string>, onEnd: () => void): Socket {
  const channel = connect(socket)
  let asked = ''
  let answering = Promise.resolve()
  const answer = async (line: string): Promise<void> => {
    const text = line === request ? await metrics().catch(() => '') : 'INVALID REQUEST\n'
    channel.write(`${text}\n`)
  }
  channel.setEncoding('latin1').on('data', (text: string) => {
    asked = (asked + text).slice(-mostBytes)
    for (let end = asked.indexOf('\n\n'); end >= 0; end = asked.indexOf('\n\n')) {
      const line = asked.slice(0, end)
      asked = asked.slice(end + 2)
      answering = answering.then(() => answer(line))
    }
  })
  return channel.on('error', () => undefined).once('close', onEnd)
}
