import { parseOptions } from '@kubevirt-ts/service'
import { freezer, freezerOptions } from './freezer.ts'
import { askLauncher } from './launcher-socket.ts'

const options = parseOptions(freezerOptions, process.argv.slice(2), process.env, { name: 'virt-freezer' })
await askLauncher('virt-freezer', (launcher) => freezer(options, launcher, (text) => void process.stdout.write(text)))
