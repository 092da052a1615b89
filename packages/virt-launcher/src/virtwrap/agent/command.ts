import { VirtError } from '@kubevirt-ts/service'
import type { Launcher } from '../launcher.ts'

export type AgentRequest = { readonly execute: string; readonly arguments?: object }

/** Asks the guest's agent and answers what it returns. Rejects when it does not answer in time or refuses. */
export async function agentCommand<T>(
  { libvirt }: Pick<Launcher, 'libvirt'>,
  request: AgentRequest,
  timeoutSeconds: number,
): Promise<T> {
  return libvirt.askAgent(async (domain) => {
    if (!domain) throw new VirtError('DomainNotFound', 'Domain not found.')
    const answer = await domain.agentCommand(JSON.stringify(request), Math.max(1, timeoutSeconds))
    return (JSON.parse(answer) as { return: T }).return
  })
}
