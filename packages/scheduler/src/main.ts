import { createLogger, parseOptions, runService } from '@kubevirt-ts/service'
import { start } from './app.ts'
import { startExtender } from './extender/app.ts'
import { options } from './options.ts'

const name = 'stickyvm-scheduler'
const values = parseOptions(options, process.argv.slice(2), process.env, { name })
const log = createLogger({ component: name, verbosity: values.verbosity })

const mode = values.extender ? startExtender : start
await runService(name, (signal) => mode(values, log, signal), { log })
