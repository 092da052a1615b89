import { createLogger, parseOptions } from '@kubevirt-ts/service'
import { runLauncher } from './app.ts'
import { launcherOptions } from './options.ts'

// What `ps` shows, instead of the name of the runtime.
process.title = 'virt-launcher'
const options = parseOptions(launcherOptions, process.argv.slice(2), process.env, { name: 'virt-launcher' })
const log = createLogger({ component: 'virt-launcher', verbosity: options.verbosity }).child({
  namespace: options.namespace,
  name: options.name,
  uid: options.uid,
})
const stop = new AbortController()
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGQUIT'] as const) process.on(signal, () => stop.abort())

try {
  await runLauncher(options, log, stop.signal)
  log.info('done')
  process.exit(0)
} catch (error) {
  log.fatal({ error }, 'the launcher failed')
  process.exit(1)
}
