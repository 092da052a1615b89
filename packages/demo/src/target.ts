import { readFile } from 'node:fs/promises'
import { Failure, defaultCluster, kubeconfigPath } from '@kubevirt-ts/dev-cluster'
import { registryPath } from '@kubevirt-ts/images'
import { parse } from 'yaml'
import type { DemoOptions } from './options.ts'

/** How images reach a cluster. */
export type Delivery =
  | { readonly by: 'local-registry'; readonly cluster: string }
  | { readonly by: 'registry'; readonly address: string }
  | { readonly by: 'load'; readonly tool: 'kind' | 'minikube' | 'k3d'; readonly name: string }

/** The cluster that the demo works on. */
export type Target = {
  readonly own: boolean
  readonly kubeconfig: string
  readonly delivery: Delivery
  /** What stands before each image's name: HOST/PATH. */
  readonly registry: string
}

export const localRegistry = 'localhost/kubevirt-ts'

export async function chooseTarget(options: DemoOptions): Promise<Target> {
  if (!options.kubeconfig) {
    return {
      own: true,
      kubeconfig: kubeconfigPath(defaultCluster),
      delivery: { by: 'local-registry', cluster: defaultCluster },
      registry: localRegistry,
    }
  }
  const { kubeconfig } = options
  if (options.registry) {
    const { registry } = options
    return { own: false, kubeconfig, delivery: { by: 'registry', address: registry }, registry: registryPath(registry) }
  }
  const delivery = deliveryOf(await currentContext(kubeconfig))
  if (!delivery) {
    throw new Failure(
      'NoWayForImages',
      `the cluster of ${kubeconfig} is none of kind, minikube and k3d, so the images cannot be loaded into it`,
      {
        remedy: 'give a registry that its nodes can pull from: npm run demo -- --registry HOST/PATH',
      },
    )
  }
  return { own: false, kubeconfig, delivery, registry: localRegistry }
}

/** The cluster tools name their contexts: kind-NAME, k3d-NAME, minikube. */
export function deliveryOf(context: string): Delivery | undefined {
  const [, tool, name] = /^(kind|k3d)-(.+)$/.exec(context) ?? []
  if (tool === 'kind' || tool === 'k3d') return { by: 'load', tool, name: name ?? '' }
  return context === 'minikube' ? { by: 'load', tool: 'minikube', name: context } : undefined
}

async function currentContext(kubeconfig: string): Promise<string> {
  try {
    const parsed = parse(await readFile(kubeconfig, 'utf8')) as { 'current-context'?: string } | null
    return parsed?.['current-context'] ?? ''
  } catch (cause) {
    throw new Failure('BadKubeconfig', `${kubeconfig} cannot be read: ${(cause as Error).message}`, {
      cause,
      remedy: 'unset KUBECONFIG to let the demo make a cluster of its own, or name a kubeconfig file',
    })
  }
}
