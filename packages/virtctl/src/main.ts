import { programName, run } from './root.ts'

const interrupt = new AbortController()
process.once('SIGINT', () => interrupt.abort())

/** The wrapper of a checkout says under which name it was called. */
const calledAs = process.env['VIRTCTL_PROGRAM'] ?? process.argv[1] ?? 'virtctl'

void run(process.argv.slice(2), programName(calledAs), process, interrupt.signal).then((code) => {
  // Open keep-alive connections would hold the process for a few seconds.
  process.exit(code)
})
