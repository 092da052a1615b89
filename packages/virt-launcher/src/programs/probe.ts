import type { CmdClient } from '@kubevirt-ts/handler-launcher-com'
import { defineOptions, type OptionValues } from '@kubevirt-ts/service'
import { accepted } from './launcher-socket.ts'

/** Flags that virt-controller writes into probes, with KubeVirt's names; the command's arguments follow `--`. */
export const probeOptions = defineOptions({
  domainName: { flag: 'domainName', type: 'string', default: '', help: 'domain of the guest: NAMESPACE_NAME' },
  timeoutSeconds: { flag: 'timeoutSeconds', type: 'number', default: 1, help: 'how long the guest may take' },
  command: { flag: 'command', type: 'string', default: '', help: 'program to run in the guest' },
  guestAgentPing: {
    flag: 'guestAgentPing',
    type: 'boolean',
    default: false,
    help: 'only ask whether the agent answers',
  },
})

/**
 * Asks the guest through its agent. Answers the exit code for the kubelet: the command's own, 0 for an agent that
 * answers. What the command wrote is handed to `print`.
 */
export async function probe(
  { domainName, timeoutSeconds, command, guestAgentPing }: OptionValues<typeof probeOptions>,
  args: readonly string[],
  launcher: Pick<CmdClient, 'exec' | 'guestPing'>,
  print: (text: string) => void,
): Promise<number> {
  if (guestAgentPing) {
    accepted((await launcher.guestPing({ domainName, timeoutSeconds })).response)
    return 0
  }
  if (command === '') throw new Error('neither --guestAgentPing nor --command is given')
  const answer = await launcher.exec({ domainName, timeoutSeconds, Command: command, Args: [...args] })
  accepted(answer.response)
  print(answer.stdOut)
  return answer.exitCode
}
