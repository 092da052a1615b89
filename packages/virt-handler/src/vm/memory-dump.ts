import type { VirtualMachineInstance, VolumeStatus } from '@kubevirt-ts/api'
import { encodeVmi } from '@kubevirt-ts/handler-launcher-com'
import { succeeded } from '../launcher-clients/answer.ts'
import type { Launcher } from '../launcher-clients/launcher-clients.ts'

/** How a memory dump ended. */
export interface DumpOutcome {
  readonly volume: string
  readonly failure?: string
}

const folder = '/var/run/kubevirt/hotplug-disks'

/** The name of a dump's file: guest, volume and when it began. */
export function dumpFileName({ metadata }: VirtualMachineInstance, volume: string, now: Date): string {
  const [day = '', time = ''] = now.toISOString().replaceAll(/[-:]/g, '').split('T')
  return `${metadata.name}-${volume}-${day}-${time.slice(0, 6)}.memory.dump`
}

/** The dump that was announced and has not ended; after a restart of this process it is simply made again. */
export function dumpUnderWay({ status }: VirtualMachineInstance): VolumeStatus | undefined {
  return status?.volumeStatus?.find(({ phase }) => phase === 'MemoryDumpInProgress')
}

/** Has the launcher write the guest's memory. Never throws. */
export async function dumpMemory(
  vmi: VirtualMachineInstance,
  { name, memoryDumpVolume }: VolumeStatus,
  { cmd }: Launcher,
): Promise<DumpOutcome> {
  const dumpPath = `${folder}/${name}/${memoryDumpVolume?.targetFileName}`
  try {
    succeeded(await cmd.virtualMachineMemoryDump({ vmi: encodeVmi(vmi), dumpPath }))
    return { volume: name }
  } catch (error) {
    return { volume: name, failure: (error as Error).message }
  }
}
