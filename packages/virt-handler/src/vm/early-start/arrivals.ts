import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Informer } from '@kubevirt-ts/controller'
import type { Logger } from '@kubevirt-ts/service'
import { once } from 'node:events'
import { PodArrivals } from '../../launcher-clients/pod-arrivals.ts'
import type { EarlyStarts } from './early-starts.ts'

export interface ArrivalOptions {
  readonly podsFolder: string
  readonly vmis: Pick<Informer<VirtualMachineInstance>, 'synced'>
  readonly earlyStarts: Pick<EarlyStarts, 'arrived'>
  readonly log: Logger
}

/**
 * Has the guests of new pods made until the signal is aborted. Begins after the first complete list of VMIs: before it
 * one that is handed over would look as if it were not.
 */
export async function watchArrivals(
  { podsFolder, vmis, earlyStarts, log }: ArrivalOptions,
  signal: AbortSignal,
): Promise<void> {
  await vmis.synced
  if (signal.aborted) return
  const onLauncher = (podUid: string): void =>
    void earlyStarts
      .arrived(podUid)
      .catch((error: unknown) => log.warn({ podUid, error }, 'a new pod was not looked at; its guest starts later'))
  const arrivals = new PodArrivals({ podsFolder, onLauncher, log })
  arrivals.start()
  await once(signal, 'abort')
  arrivals.close()
}
