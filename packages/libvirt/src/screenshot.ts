import { library, type Pointer } from './library.ts'
import { offThread } from './off-thread.ts'

const chunkBytes = 256 * 1024
/** Far more than a screen of 4096 x 4096 pixels takes without compression. */
const mostBytes = 64 * 1024 * 1024
const firstScreen = 0

/** The picture of a domain's first screen. Undefined after an error of libvirt. */
export async function takeScreenshot(
  domain: Pointer,
  connection: Pointer,
): Promise<{ mime: string; data: Buffer } | undefined> {
  const { newStream, screenshot, freeStream } = library()
  const stream = await offThread<Pointer>(newStream, connection, 0)
  if (!stream) return undefined
  try {
    const mime = await offThread<string | null>(screenshot, domain, stream, firstScreen, 0)
    const data = mime === null ? undefined : await readAll(stream)
    return mime === null || data === undefined ? undefined : { mime, data }
  } finally {
    await offThread(freeStream, stream)
  }
}

async function readAll(stream: Pointer): Promise<Buffer | undefined> {
  const { receive, finishStream, abortStream } = library()
  const chunks: Buffer[] = []
  let total = 0
  for (;;) {
    const chunk = Buffer.alloc(chunkBytes)
    const length = await offThread<number>(receive, stream, chunk, chunk.length)
    if (length === 0) break
    total += Math.max(length, 0)
    if (length < 0 || total > mostBytes) {
      await offThread(abortStream, stream)
      return undefined
    }
    chunks.push(chunk.subarray(0, length))
  }
  await offThread(finishStream, stream)
  return Buffer.concat(chunks)
}
