import { enableCompileCache } from 'node:module'

// Before anything else is loaded: what a start takes is mostly reading its own code. A checkout's wrapper does it earlier.
enableCompileCache()

const interrupt = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupt.abort())

// A reader such as `head` that has seen enough is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

/** The wrapper of a checkout says under which name it was called. */
const calledAs = process.env['VIRTCTL_PROGRAM'] ?? process.argv[1] ?? 'virtctl'

const start = async () => {
  const { programName, run } = await import('./root.ts')
  const code = await run(process.argv.slice(2), programName(calledAs), process, interrupt.signal)
  // Open keep-alive connections would hold the process for a few seconds.
  process.exit(code)
}

void start()
