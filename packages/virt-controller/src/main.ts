import { createLogger, parseOptions, runService } from '@kubevirt-ts/service'
import { start } from './app.ts'
import { runLifecycle } from './lifecycle/commands.ts'
import { options } from './options.ts'

const name = 'virt-controller'
const argv = process.argv.slice(2)

if (argv[0] === 'crds' || argv[0] === 'uninstall') {
  process.exitCode = await runLifecycle(argv, process.env)
} else {
  const values = parseOptions(options, argv, process.env, { name })
  const log = createLogger({ component: name, verbosity: values.verbosity })
  await runService(name, (signal) => start(values, log, signal), { log })
}
