import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { tools } from './tools.ts'

const limitMs = 90_000

type Change = { readonly type: string; readonly object: VirtualMachineInstance }

/**
 * The phases that a VMI goes through from now until it is deleted, without one missed:
 * a watch is told every change. With `uid`, until that very instance is gone.
 */
export async function phasesUntilGone(namespace: string, name: string, uid?: string): Promise<string[]> {
  const phases: string[] = []
  const watch = spawn(tools().kubectl, [
    'get',
    'vmi',
    '-n',
    namespace,
    '--field-selector',
    `metadata.name=${name}`,
    '--watch',
    '--output-watch-events',
    '-o',
    'json',
  ])
  const timer = setTimeout(() => watch.kill(), limitMs)
  try {
    for await (const { type, object } of objects<Change>(watch.stdout)) {
      if (uid !== undefined && object.metadata?.uid !== uid) continue
      const phase = object.status?.phase ?? ''
      if (phases.at(-1) !== phase) phases.push(phase)
      if (type === 'DELETED') return phases
    }
    throw new Error(
      `VMI ${namespace}/${name} was not gone within ${limitMs / 1000} s; its phases: ${phases.join(', ')}`,
    )
  } finally {
    clearTimeout(timer)
    watch.kill()
  }
}

/** With watch events kubectl prints each change as one line of JSON. */
async function* objects<T>(stream: NodeJS.ReadableStream): AsyncGenerator<T> {
  for await (const line of createInterface({ input: stream })) yield JSON.parse(line) as T
}
