import { parseArgs } from 'node:util'
import { Failure } from '@kubevirt-ts/dev-cluster'

export type DemoOptions = {
  /** A cluster of the user's; unset means one of the demo's own. */
  readonly kubeconfig: string | undefined
  /** Where images are pushed to for a cluster of the user's. */
  readonly registry: string | undefined
  readonly nodes: number
  readonly down: boolean
  /** For a cluster of the user's: its nodes run guests with KVM. */
  readonly kvm: boolean
}

export const help = `Brings up everything and boots a virtual machine: cluster, images, the product, a VM and its console.
It can be run again at any moment; what is there already is not done again.

Usage:
  npm run demo [-- OPTIONS]

Options:
  --down              remove all that the demo made on this machine
  --nodes N           nodes of the demo's own cluster (1)
  --kubeconfig FILE   install into this cluster instead of making one (also: KUBECONFIG)
  --registry HOST/PATH  push the images there, for a cluster that is not kind, minikube or k3d
                      (http://HOST/PATH for a registry that speaks plain HTTP)
  --kvm               the given cluster's nodes can run guests with KVM (else: software emulation)
  --help              this text

Examples:
  npm run demo
  npm run demo -- --nodes 2
  npm run demo -- --kubeconfig ~/.kube/config --registry registry.example/me
  npm run demo -- --down
`

export function parseDemoOptions(argv: readonly string[], env: NodeJS.ProcessEnv): DemoOptions | 'help' {
  const { values } = parse(argv)
  if (values.help) return 'help'
  const nodes = Number(values.nodes)
  if (!Number.isInteger(nodes) || nodes < 1) {
    throw new Failure('BadOption', `--nodes needs a whole number of at least 1, not ${values.nodes}`)
  }
  const kubeconfig = values.kubeconfig ?? (env['KUBECONFIG'] || undefined)
  if (values.registry && !kubeconfig && !values.down) {
    throw new Failure('BadOption', '--registry is for a cluster given with --kubeconfig', {
      remedy: "leave it out: the demo's own cluster has a registry of its own",
    })
  }
  return { kubeconfig, registry: values.registry, nodes, down: values.down, kvm: values.kvm }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        down: { type: 'boolean', default: false },
        nodes: { type: 'string', default: '1' },
        kubeconfig: { type: 'string' },
        registry: { type: 'string' },
        kvm: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    throw new Failure('BadOption', (error as Error).message, { remedy: 'npm run demo -- --help' })
  }
}
