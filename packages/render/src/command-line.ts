import { parseArgs } from 'node:util'
import { isOutput, outputs } from './output.ts'
import { renderFiles } from './render-files.ts'
import type { RenderFlags } from './render-files.ts'

export const usage = `Prints what a VM or VMI becomes, without a cluster.

Usage: virt-render [--kubevirt FILE] [--objects FILE] [--context FILE] --output ${outputs.join('|')} FILE

  FILE             manifest with one VirtualMachine or VirtualMachineInstance; - is standard input
  --output, -o     mutated    the object with its defaults
                   admission  whether it is admitted, else every cause
                   pod        the pod that it runs in
                   domain     the libvirt domain, as XML
  --kubevirt FILE  the KubeVirt resource or its spec.configuration
  --objects FILE   claims, network definitions, namespaces and whatever else the object refers to
  --context FILE   images, folders and host to render for, in place of the built-in ones

Exit code: 0 admitted, 2 refused, 1 when a file or the command line is broken.
`

export interface Terminal {
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
}

/** Runs one command line; `argv` begins after the program. Answers the exit code. */
export async function run(argv: readonly string[], { stdout, stderr }: Terminal): Promise<number> {
  try {
    const flags = parse(argv)
    if (flags === undefined) {
      stdout.write(usage)
      return 0
    }
    const { text, complaint, allowed } = await renderFiles(flags)
    if (text !== undefined) stdout.write(text)
    if (complaint !== undefined) stderr.write(`virt-render: ${complaint}\n`)
    return allowed ? (text === undefined ? 1 : 0) : 2
  } catch (error) {
    stderr.write(`virt-render: ${(error as Error).message}\n`)
    return 1
  }
}

/** The flags; undefined when help is asked for. Throws with words for the user. */
function parse(argv: readonly string[]): RenderFlags | undefined {
  const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true })
  if (values.help) return undefined
  const { output, kubevirt, objects, context } = values
  if (!isOutput(output)) throw new Error(`--output must be one of ${outputs.join(', ')}; see virt-render --help`)
  const [file, ...more] = positionals
  if (file === undefined || more.length > 0) throw new Error('give one FILE to render; see virt-render --help')
  return { file, output, ...(kubevirt && { kubevirt }), ...(objects && { objects }), ...(context && { context }) }
}

const options = {
  output: { type: 'string', short: 'o' },
  kubevirt: { type: 'string' },
  objects: { type: 'string' },
  context: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const
