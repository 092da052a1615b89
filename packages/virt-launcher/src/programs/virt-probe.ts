import { parseOptions } from '@kubevirt-ts/service'
import { askLauncher } from './launcher-socket.ts'
import { probe, probeOptions } from './probe.ts'

const words = process.argv.slice(2)
const end = words.indexOf('--')
const [flags, args] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end + 1)]
const options = parseOptions(probeOptions, flags, process.env, { name: 'virt-probe' })
await askLauncher('virt-probe', (launcher) => probe(options, args, launcher, (text) => void process.stdout.write(text)))
