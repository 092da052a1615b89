import type { Launcher } from '../launcher.ts'
import { updateMetadata } from '../metadata.ts'

/**
 * Asks the guest to shut down. The first time is remembered in the domain, since the guest's grace period counts from
 * it. Succeeds when there is nothing left to shut down.
 */
export async function shutdown({ libvirt, log }: Launcher): Promise<void> {
  await libvirt.change(async (domain) => {
    if (!domain) return
    const { state } = await domain.state()
    if (state !== 'running' && state !== 'paused') return
    await domain.shutdown('default')
    await updateMetadata(domain, (metadata) => ({
      ...metadata,
      graceperiod: {
        ...metadata.graceperiod,
        deletionTimestamp: metadata.graceperiod?.deletionTimestamp ?? new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
      },
    }))
    log.info('asked the guest to shut down')
  })
}

/** Tells virt-handler, through the domain, that the pod is being stopped and the guest must end. */
export async function markGracefulShutdown({ libvirt }: Launcher): Promise<void> {
  await libvirt.change(async (domain) => {
    if (!domain) return
    await updateMetadata(domain, (metadata) => ({
      ...metadata,
      graceperiod: { ...metadata.graceperiod, markedForGracefulShutdown: 'true' },
    }))
  })
}
