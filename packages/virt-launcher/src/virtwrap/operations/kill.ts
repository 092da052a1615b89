import { errorCode, isLibvirtError, type Domain } from '@kubevirt-ts/libvirt'
import type { Launcher } from '../launcher.ts'

/** Ends QEMU without asking the guest. Succeeds when it has ended already. */
export async function kill({ libvirt, log }: Launcher): Promise<void> {
  await libvirt.change(async (domain) => {
    if (!domain) return
    const { state } = await domain.state()
    if (state !== 'running' && state !== 'paused' && state !== 'shutdown') return
    await destroy(domain)
    log.info('domain destroyed')
  })
}

/** First so that QEMU can write back what it holds, and where it does not end of that, without its consent. */
async function destroy(domain: Domain): Promise<void> {
  try {
    await domain.destroy({ graceful: true })
  } catch (error) {
    if (hasEnded(error)) return
    await domain.destroy().catch((second: unknown) => {
      if (!hasEnded(second)) throw second
    })
  }
}

function hasEnded(error: unknown): boolean {
  return isLibvirtError(error, errorCode.operationInvalid)
}
