import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { nodeFlags } from '@kubevirt-ts/images'

const work = join(import.meta.dirname, 'work.mjs')

/**
 * CPU milliseconds that fixed work of a service's kind takes on this machine at this moment, under the Node flags of
 * the services: what their own CPU time is compared with.
 */
export async function calibrate(): Promise<number> {
  const child = spawn(process.execPath, [...(await nodeFlags()), work], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`the calibration ended with code ${code}`)
  return Number(text)
}
