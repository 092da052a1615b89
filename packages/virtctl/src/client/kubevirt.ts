import { kubeVirts } from '@kubevirt-ts/api'
import type { KubeVirt } from '@kubevirt-ts/api'
import { CommandError } from '../command.ts'
import type { Cluster } from '../command.ts'

/** The KubeVirt resource of the cluster, wherever it is. */
export async function fetchKubeVirt({ client }: Cluster): Promise<KubeVirt> {
  const { items } = await client.list(kubeVirts, {}).catch((error: Error) => {
    throw new CommandError(`could not list KubeVirt CRs: ${error.message}`)
  })
  const [kubeVirt] = items
  if (!kubeVirt) throw new CommandError('could not detect a KubeVirt installation: there is no KubeVirt resource')
  return kubeVirt
}
