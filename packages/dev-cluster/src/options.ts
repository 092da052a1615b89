import { parseArgs } from 'node:util'
import { Failure } from './failure.ts'
import { defaultCluster } from './paths.ts'

/** What the command line asks for. */
export type Options = {
  readonly action: 'up' | 'down' | 'status' | 'kubeconfig' | 'load-image' | 'help'
  readonly name: string
  readonly nodes: number
  readonly images: readonly string[]
  readonly state?: string
  readonly cache?: string
  readonly json: boolean
}

export const help = `A real Kubernetes on this machine, without a container engine.

usage: npm run cluster -- COMMAND [OPTIONS]

commands:
  up                     start the cluster, or make a started one whole again
  down                   end it and remove everything of it; the caches stay
  status                 what runs of it
  kubeconfig             print the path of its kubeconfig (alone with \`npm run -s cluster -- kubeconfig\`)
  load-image IMAGE|FILE  make an image available to its pods: the name of one that buildah, podman or docker
                         has here, or an archive made by \`docker save\` or \`buildah push\`

options:
  --name NAME    which cluster (default: ${defaultCluster}); several run side by side
  --nodes N      how many nodes \`up\` makes at least (default: 1, at most 15)
  --json         \`status\` as JSON
  --state DIR    where clusters keep their state (default: /var/lib/kubevirt-ts; also KUBEVIRT_TS_STATE)
  --cache DIR    where programs are cached (default: ~/.cache/kubevirt-ts; also KUBEVIRT_TS_CACHE)
  --help         this text
`

const actions = ['up', 'down', 'status', 'kubeconfig', 'load-image', 'help'] as const

/**
 * Understands a command line.
 * @throws Failure that names what is wrong with it
 */
export function parseOptions(argv: readonly string[]): Options {
  const { values, positionals } = parse(argv)
  const [word = 'help', ...images] = positionals
  const action = values.help ? 'help' : actions.find((known) => known === word)
  if (!action) throw usage(`there is no command "${word}"`)
  if (action === 'load-image' && images.length === 0) throw usage('load-image needs an image or a file')
  if (action !== 'load-image' && action !== 'help' && images.length > 0) {
    throw usage(`${action} takes no argument, but there is "${images[0]}"`)
  }
  if (!/^\d+$/.test(values.nodes)) throw usage(`--nodes takes a number, not "${values.nodes}"`)
  return { ...values, action, images, nodes: Number(values.nodes) }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        name: { type: 'string', default: defaultCluster },
        nodes: { type: 'string', default: '1' },
        state: { type: 'string' },
        cache: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (cause) {
    throw usage((cause as Error).message)
  }
}

const usage = (message: string): Failure =>
  new Failure('InvalidArguments', message, { remedy: 'npm run cluster -- --help' })
