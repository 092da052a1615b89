import type { VirtualMachineSnapshot } from '@kubevirt-ts/api'
import { secondsOf } from './family.ts'
import type { Family } from './family.ts'

/** When the content of each snapshot was taken, under KubeVirt's name. */
export const snapshotFamilies: readonly Family<VirtualMachineSnapshot>[] = [
  {
    name: 'kubevirt_vmsnapshot_succeeded_timestamp_seconds',
    help: 'When a snapshot of a VM was taken that succeeded.',
    labels: ['name', 'snapshot_name', 'namespace'],
    of: ({ metadata, spec, status }) => {
      const seconds = status?.phase === 'Succeeded' ? secondsOf(status.creationTime) : undefined
      if (seconds === undefined) return []
      return [[{ name: spec.source.name, snapshot_name: metadata.name, namespace: metadata.namespace ?? '' }, seconds]]
    },
  },
]
