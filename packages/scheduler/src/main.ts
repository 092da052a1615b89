import { createLogger, parseOptions, runService } from '@kubevirt-ts/service'
import { start } from './app.ts'
import { options } from './options.ts'

const name = 'stickyvm-scheduler'
const values = parseOptions(options, process.argv.slice(2), process.env, { name })
const log = createLogger({ component: name, verbosity: values.verbosity })

await runService(name, (signal) => start(values, log, signal), { log })
