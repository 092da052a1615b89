import { expect } from '@jest/globals'
import { ensure, eventually } from '../../framework/eventually.ts'
import { apply, getVmi, kubectl, vmiInPhase } from '../../framework/kubectl.ts'
import { scenario } from '../../framework/scenario.ts'
import { Console, virtctl } from '../../framework/virtctl.ts'
import { claimOnNode } from '../../manifests/claims.ts'
import { keptStateVm } from '../../manifests/devices.ts'

const name = 'keeper'
const variable = '/sys/firmware/efi/efivars/Kept-12345678-1234-1234-1234-123456789abc'

/** The guest has no tools for a TPM, so it is spoken to as the specification (TPM 2.0, part 3) writes its commands. */
const tpm = {
  /** NV_DefineSpace: eight bytes at index 0x01800001 that the owner and whoever knows the empty password may use. */
  define: '8002 0000002d 0000012a 40000001 00000009 40000009 0000 00 0000 0000 000e 01800001 000b 02060006 0000 0008',
  /** NV_ReadPublic of the same index. */
  read: '8001 0000000e 00000169 01800001',
}

/** What a firmware and a TPM remember outlives the guest that told them. */
export function keptStateScenario(namespace: string): void {
  scenario(
    'variables of the firmware and the memory of the TPM are there again after a restart; the agent answers pings',
    async () => {
      const volume = claimOnNode({ name: 'state', namespace, size: '32Mi' }).items[0]
      // The claim is the product's; without a class any volume without one serves it.
      await apply({ ...volume, spec: { ...volume?.spec, storageClassName: '' } })
      await apply(keptStateVm({ name, namespace }))
      await withConsole(remember)
      const before = (await getVmi(namespace, name)).metadata?.uid ?? ''
      await virtctl('restart', name, '-n', namespace)
      await vmiInPhase(namespace, name, 'Running', { notUid: before, timeoutMs: 180_000 })
      await withConsole(recall)
      await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
    },
    1_500_000,
  )

  scenario(
    'what a firmware and a TPM remember for a boot moves to another node with the guest, and back',
    async () => {
      await apply(keptStateVm({ name, namespace, persistent: false }))
      await vmiInPhase(namespace, name, 'Running', { timeoutMs: 180_000 })
      await withConsole(remember)
      for (let move = 1; move <= 2; move++) {
        const before = (await getVmi(namespace, name)).status?.nodeName
        await virtctl('migrate', name, '-n', namespace, '--wait', '--timeout', '600')
        expect((await getVmi(namespace, name)).status?.nodeName).not.toBe(before)
        await withConsole(recall)
      }
      await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
    },
    2_400_000,
  )

  const remember = async (console: Console): Promise<void> => {
    await eventually('the agent answers', async () => ensure(await isReady(), 'the VMI is not ready'), 120_000)
    await console.ask(`printf '\\7\\0\\0\\0kept' | sudo tee ${variable} >/dev/null; echo to""ld`, /told/)
    await console.ask(sends(tpm.define), /answer-00000000/)
  }
  const recall = async (console: Console): Promise<void> => {
    await console.ask(`sudo tail -c 4 ${variable}; echo`, /^kept/m)
    await console.ask(sends(tpm.read), /answer-00000000/)
  }

  const withConsole = async (work: (console: Console) => Promise<void>): Promise<void> => {
    await using console = new Console(namespace, name)
    await console.logIn('debian', 'correct-horse', 540_000)
    await work(console)
  }
  const isReady = async (): Promise<boolean> =>
    (await getVmi(namespace, name)).status?.conditions?.some(
      ({ type, status }) => type === 'Ready' && status === 'True',
    ) ?? false
}

/** Shows the code that the TPM answers a command with. */
const sends = (command: string): string =>
  `sudo python3 -c "f = open('/dev/tpmrm0', 'r+b', buffering=0); f.write(bytes.fromhex('${command}')); print('answer-' + f.read(4096)[6:10].hex())"`
