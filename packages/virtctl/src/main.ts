import { programName, run } from './root.ts'

const interrupt = new AbortController()
process.once('SIGINT', () => interrupt.abort())

// A reader such as `head` that has seen enough is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

/** The wrapper of a checkout says under which name it was called. */
const calledAs = process.env['VIRTCTL_PROGRAM'] ?? process.argv[1] ?? 'virtctl'

void run(process.argv.slice(2), programName(calledAs), process, interrupt.signal).then((code) => {
  // Open keep-alive connections would hold the process for a few seconds.
  process.exit(code)
})
