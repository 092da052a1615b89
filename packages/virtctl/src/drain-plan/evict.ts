import type { Status } from '@kubevirt-ts/api'
import type { Cluster } from '../command.ts'
import type { Step } from './seen.ts'

/** Whether the eviction need not be asked for again, with what the server says. */
export interface Eviction {
  readonly evicted: boolean
  readonly message: string
}

/**
 * Asks for the eviction of the guest's pod. 429 is the right answer for a guest that is to move: its eviction is
 * remembered on the VMI. For all others it says that a disruption budget allows none now. Throws the server's refusal.
 */
export async function evict({ namespace, pod = '', action }: Step, { client }: Cluster): Promise<Eviction> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/eviction`
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name: pod } }
  const answer = await client.request({ method: 'POST', path, body, once: true })
  const message = messageOf(answer.body)
  if (answer.status < 300 || answer.status === 404) return { evicted: true, message }
  if (answer.status !== 429) throw new Error(`pod ${namespace}/${pod} is not evicted: ${message}`)
  return { evicted: action === 'migrate' || action === 'external', message }
}

function messageOf(body: Buffer): string {
  try {
    return (JSON.parse(body.toString()) as Status).message ?? ''
  } catch {
    return body.toString().trim()
  }
}
