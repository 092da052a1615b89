import { encodeVmi, type CmdClient } from '@kubevirt-ts/handler-launcher-com'
import { defineOptions, type OptionValues } from '@kubevirt-ts/service'
import { accepted } from './launcher-socket.ts'

/** Flags that backup tools call the program with, with KubeVirt's names. */
export const freezerOptions = defineOptions({
  freeze: { flag: 'freeze', type: 'boolean', default: false, help: "freeze the guest's file systems" },
  unfreeze: { flag: 'unfreeze', type: 'boolean', default: false, help: "thaw the guest's file systems" },
  name: { flag: 'name', type: 'string', default: '', help: 'name of the VirtualMachineInstance' },
  namespace: { flag: 'namespace', type: 'string', default: '', help: 'its namespace' },
  unfreezeTimeoutSeconds: {
    flag: 'unfreezeTimeoutSeconds',
    type: 'number',
    default: 300,
    help: 'seconds after which a frozen guest thaws by itself',
  },
})

/**
 * Freezes or thaws the guest around a backup. A guest without an agent cannot be frozen, which is no failure: its
 * backup is as after a power cut. Answers the exit code.
 */
export async function freezer(
  { freeze, unfreeze, name, namespace, unfreezeTimeoutSeconds }: OptionValues<typeof freezerOptions>,
  launcher: Pick<CmdClient, 'getGuestInfo' | 'freezeVirtualMachine' | 'unfreezeVirtualMachine'>,
  print: (text: string) => void,
): Promise<number> {
  if (freeze === unfreeze) throw new Error('give either --freeze or --unfreeze')
  const info = await launcher.getGuestInfo({})
  accepted(info.response)
  const { guestAgentVersion } = JSON.parse(info.guestInfoResponse) as { guestAgentVersion?: string }
  if (!guestAgentVersion) {
    print('the guest has no connected agent; nothing is frozen\n')
    return 0
  }
  const vmi = encodeVmi({ metadata: { name, namespace }, spec: { domain: { devices: {} } } })
  if (freeze) accepted(await launcher.freezeVirtualMachine({ vmi, unfreezeTimeoutSeconds }))
  else accepted(await launcher.unfreezeVirtualMachine({ vmi }))
  return 0
}
