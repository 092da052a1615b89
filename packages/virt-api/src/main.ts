import { createLogger, parseOptions, runService } from '@kubevirt-ts/service'
import { startApp } from './app.ts'
import { options } from './options.ts'

const values = parseOptions(options, process.argv.slice(2), process.env, { name: 'virt-api' })
const log = createLogger({ component: 'virt-api', verbosity: values.verbosity })

await runService('virt-api', (signal) => startApp(values, log, signal), { log })
