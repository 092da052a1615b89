import { createLogger, parseOptions, runService } from '@kubevirt-ts/service'
import { startVirtHandler } from './app.ts'
import { options } from './options.ts'

const name = 'virt-handler'
const values = parseOptions(options, process.argv.slice(2), process.env, { name })
const log = createLogger({ component: name, verbosity: values.verbosity })

await runService(name, (signal) => startVirtHandler(values, log, signal), {
  log,
  stopTimeoutMs: values.gracefulShutdownSeconds * 1_000,
})
