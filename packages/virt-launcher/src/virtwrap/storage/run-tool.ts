import { execFile } from 'node:child_process'
import { VirtError } from '@kubevirt-ts/service'

const timeoutMs = 60_000
const noSpace = /No space left on device/

/** Runs a program of the image to its end. Throws with the last of what it said when it fails. */
export function runTool(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: timeoutMs, maxBuffer: 1024 * 1024 }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout)
      const said = stderr.trim().split('\n').slice(-3).join('; ')
      const message = `${program} ${args.join(' ')} failed: ${said || error.message}`
      reject(new VirtError(noSpace.test(said) ? 'NoSpace' : 'ToolFailed', message, { cause: error }))
    })
  })
}
