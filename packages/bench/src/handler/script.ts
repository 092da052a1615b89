import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '@kubevirt-ts/api'
import { isOnlyGuestMissing } from '@kubevirt-ts/vmispec'

/** What the node's side of a VMI does next, and how long that takes; undefined where it has nothing to do. */
export type Scene = { readonly phase: 'Running' | 'Succeeded'; readonly afterMs: number }

export type Timing = { readonly startMs: number; readonly stopMs: number }

/** A guest that was handed over starts; a deleted one ends well. */
export function nextScene({ metadata, status }: VirtualMachineInstance, timing: Timing): Scene | undefined {
  const phase = status?.phase
  if (phase !== 'Scheduled' && phase !== 'Running') return undefined
  if (metadata.deletionTimestamp !== undefined) return { phase: 'Succeeded', afterMs: timing.stopMs }
  return phase === 'Scheduled' ? { phase: 'Running', afterMs: timing.startMs } : undefined
}

/** The VMI as virt-handler would write it at that point. */
export function played(vmi: VirtualMachineInstance, { phase }: Scene, now: Date): VirtualMachineInstance {
  const at = now.toISOString().replace(/\.\d+Z$/, 'Z')
  const status = vmi.status ?? {}
  return {
    ...vmi,
    status: {
      ...status,
      phase,
      phaseTransitionTimestamps: [...(status.phaseTransitionTimestamps ?? []), { phase, phaseTransitionTimestamp: at }],
      ...(phase === 'Running' ? whileRunning(vmi, at) : { interfaces: withoutAddresses(status) }),
    },
  }
}

function whileRunning(vmi: VirtualMachineInstance, at: string): Partial<VirtualMachineInstanceStatus> {
  const status = vmi.status ?? {}
  const holds = (type: string) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: at })
  const isReady = isOnlyGuestMissing(vmi)
  return {
    conditions: [
      ...(status.conditions ?? []).map((each) => (isReady && each.type === 'Ready' ? holds('Ready') : each)),
      holds('LiveMigratable'),
      holds('StorageLiveMigratable'),
    ] as VirtualMachineInstanceStatus['conditions'],
    migrationMethod: 'BlockMigration',
    machine: { type: 'pc-q35-10.0' },
    interfaces: (status.interfaces ?? []).map((each) => ({
      ...each,
      ipAddress: '198.18.0.2',
      ipAddresses: ['198.18.0.2'],
      mac: '52:54:00:00:00:01',
      infoSource: 'domain',
      linkState: 'up',
      queueCount: 1,
    })),
  }
}

const withoutAddresses = ({ interfaces }: VirtualMachineInstanceStatus) =>
  interfaces?.map(({ ipAddress: _address, ipAddresses: _all, ...others }) => others)
