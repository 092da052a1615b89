import { errorCode, isLibvirtError } from '@kubevirt-ts/libvirt'
import type { Launcher } from '../launcher.ts'

/** Ends QEMU without asking the guest. Succeeds when it has ended already. */
export async function kill({ libvirt, log }: Launcher): Promise<void> {
  await libvirt.change(async (domain) => {
    if (!domain) return
    const { state } = await domain.state()
    if (state !== 'running' && state !== 'paused' && state !== 'shutdown') return
    try {
      await domain.destroy({ graceful: true })
    } catch (error) {
      if (!isLibvirtError(error, errorCode.operationInvalid)) throw error
    }
    log.info('domain destroyed')
  })
}
