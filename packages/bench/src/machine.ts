import { execFile } from 'node:child_process'
import { cpus, release, totalmem } from 'node:os'
import { promisify } from 'node:util'

export type Machine = {
  readonly date: string
  readonly commit: string
  readonly cpus: number
  readonly cpuModel: string
  readonly memoryGiB: number
  readonly kernel: string
}

/** What a figure has to be read with. */
export async function describeMachine(): Promise<Machine> {
  const commit = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD']).then(
    ({ stdout }) => stdout.trim(),
    () => 'unknown',
  )
  return {
    date: new Date().toISOString(),
    commit,
    cpus: cpus().length,
    cpuModel: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
  }
}
