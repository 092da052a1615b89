import { reportedVersion } from '@kubevirt-ts/api'
import type { Cluster } from '../command.ts'

/** A failed command does not wait longer than this for a hint at its cause. */
const timeoutMs = 2000

const release = (version: string | undefined) => /^v(\d+\.\d+)\./.exec(version ?? '')?.[1]

/** A line for a failed command when client and server are of different releases; undefined when that is not known. */
export async function mismatchNotice({ client }: Cluster): Promise<string | undefined> {
  try {
    const path = '/apis/subresources.kubevirt.io/v1/version'
    const answer = await client.request({ method: 'GET', path, signal: AbortSignal.timeout(timeoutMs) })
    const { gitVersion } = JSON.parse(answer.body.toString()) as { readonly gitVersion?: string }
    const [own, other] = [release(reportedVersion), release(gitVersion)]
    if (answer.status !== 200 || other === undefined || own === other) return undefined
    return `You are using a client virtctl version that is different from the KubeVirt version running in the cluster\nClient Version: ${reportedVersion}\nServer Version: ${gitVersion}`
  } catch {
    return undefined
  }
}
