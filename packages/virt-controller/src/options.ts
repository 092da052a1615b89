import { hostname } from 'node:os'
import { defineOptions } from '@kubevirt-ts/service'
import type { OptionValues } from '@kubevirt-ts/service'
import { syncedKeys } from './watch/synced-metadata.ts'
import type { SyncedKeys } from './watch/synced-metadata.ts'

/** Of controllers that are not here yet: an installation that gives them starts all the same. */
const unserved = {
  snapshotThreads: { flag: 'snapshot-controller-threads', type: 'number', help: unheard('snapshots') },
  snapshotResync: { flag: 'snapshot-controller-resync-period', type: 'duration', help: unheard('snapshots') },
  restoreThreads: { flag: 'restore-controller-threads', type: 'number', help: unheard('restores') },
  exportThreads: { flag: 'export-controller-threads', type: 'number', help: unheard('exports') },
  cloneThreads: { flag: 'clone-controller-threads', type: 'number', help: unheard('clones') },
  backupThreads: { flag: 'backup-controller-threads', type: 'number', help: unheard('backups') },
} as const

function unheard(what: string): string {
  return `Has no effect, as ${what} are not served yet.`
}

/** Flags with upstream's names and, but for the VM controller's workers, defaults. */
export const options = defineOptions({
  ...unserved,
  listen: { flag: 'listen', type: 'string', default: '0.0.0.0', help: 'Address to listen on.' },
  port: { flag: 'port', type: 'number', default: 8182, help: 'Port for health and metrics.' },
  kubeconfig: {
    flag: 'kubeconfig',
    type: 'string',
    help: 'Path of a kubeconfig file; without it the service account is used.',
  },
  verbosity: { flag: 'v', type: 'number', default: 2, help: 'Log verbosity.' },
  namespace: {
    flag: 'namespace',
    type: 'string',
    default: 'kubevirt',
    env: 'POD_NAMESPACE',
    help: 'Namespace of the installation.',
  },
  identity: {
    flag: 'hostname',
    type: 'string',
    default: hostname(),
    env: 'POD_NAME',
    help: 'Name of this process in the leader election.',
  },
  launcherImage: {
    flag: 'launcher-image',
    type: 'string',
    default: 'virt-launcher',
    help: 'Image of the launcher container.',
  },
  exporterImage: {
    flag: 'exporter-image',
    type: 'string',
    default: 'virt-exportserver',
    help: 'Image of the export server.',
  },
  sidecarShimImage: {
    flag: 'sidecar-shim-image',
    type: 'string',
    default: 'sidecar-shim',
    help: 'Image of hook sidecars that name none.',
  },
  launcherQemuTimeout: {
    flag: 'launcher-qemu-timeout',
    type: 'number',
    default: 240,
    help: 'Seconds that the launcher waits for QEMU, at least.',
  },
  imagePullSecret: { flag: 'image-pull-secret', type: 'string', help: 'Secret to pull the launcher image with.' },
  shareDir: {
    flag: 'kubevirt-share-dir',
    type: 'string',
    default: '/var/run/kubevirt',
    help: 'Folder shared between launcher and node agent.',
  },
  ephemeralDiskDir: {
    flag: 'ephemeral-disk-dir',
    type: 'string',
    default: '/var/run/kubevirt-ephemeral-disks',
    help: 'Folder of disks that end with the guest.',
  },
  containerDiskDir: {
    flag: 'container-disk-dir',
    type: 'string',
    default: '/var/run/kubevirt/container-disks',
    help: 'Folder of container disks.',
  },
  hotplugDiskDir: {
    flag: 'hotplug-disk-dir',
    type: 'string',
    default: '/var/run/kubevirt/hotplug-disks',
    help: 'Folder of hotplugged disks.',
  },
  launcherSubGid: {
    flag: 'launcher-subgid',
    type: 'number',
    default: 107,
    help: 'Group that owns the files of a launcher pod.',
  },
  labelsSync: {
    flag: 'additional-launcher-labels-sync',
    type: 'string',
    default: '',
    help: 'Labels that go on from VMs to running guests and their pods, with commas between; prefix* is allowed.',
  },
  annotationsSync: {
    flag: 'additional-launcher-annotations-sync',
    type: 'string',
    default: '',
    help: 'The same for annotations.',
  },
  certFile: {
    flag: 'prom-cert-file',
    type: 'string',
    default: '/etc/virt-controller/certificates/tls.crt',
    help: 'Certificate to serve with.',
  },
  keyFile: {
    flag: 'prom-key-file',
    type: 'string',
    default: '/etc/virt-controller/certificates/tls.key',
    help: 'Private key to serve with.',
  },
  vmiThreads: { flag: 'vmi-controller-threads', type: 'number', default: 10, help: 'Workers of the VMI controller.' },
  vmThreads: { flag: 'vm-controller-threads', type: 'number', default: 10, help: 'Workers of the VM controller.' },
  nodeThreads: { flag: 'node-controller-threads', type: 'number', default: 3, help: 'Workers of the node controller.' },
  replicaSetThreads: {
    flag: 'rs-controller-threads',
    type: 'number',
    default: 3,
    help: 'Workers of the replica set controller.',
  },
  poolThreads: { flag: 'pool-controller-threads', type: 'number', default: 3, help: 'Workers of the pool controller.' },
  migrationThreads: {
    flag: 'migration-controller-threads',
    type: 'number',
    default: 3,
    help: 'Workers of the migration controller.',
  },
  evacuationThreads: {
    flag: 'evacuation-controller-threads',
    type: 'number',
    default: 3,
    help: 'Workers of the evacuation controller.',
  },
  disruptionBudgetThreads: {
    flag: 'disruption-budget-controller-threads',
    type: 'number',
    default: 3,
    help: 'Workers of the disruption budget controller.',
  },
  topologyPeriod: {
    flag: 'node-topology-update-period',
    type: 'duration',
    default: 30_000,
    help: 'Time between two looks at the clocks of all nodes.',
  },
  leaseDuration: {
    flag: 'leader-elect-lease-duration',
    type: 'duration',
    default: 15_000,
    help: 'How long a silent leader stays leader.',
  },
  renewDeadline: {
    flag: 'leader-elect-renew-deadline',
    type: 'duration',
    default: 10_000,
    help: 'After which time without renewal a leader steps down.',
  },
  retryPeriod: {
    flag: 'leader-elect-retry-period',
    type: 'duration',
    default: 2_000,
    help: 'Time between two attempts.',
  },
  resourceLock: {
    flag: 'leader-elect-resource-lock',
    type: 'string',
    default: 'leases',
    help: 'Kind of object that a leader holds; Kubernetes has leases alone.',
  },
})

export type Options = OptionValues<typeof options>

/** Flags that were given and have no effect. */
export function unservedFlags(given: Options): string[] {
  const keys = Object.keys(unserved) as (keyof typeof unserved)[]
  return keys.filter((key) => given[key] !== undefined).map((key) => `--${unserved[key].flag}`)
}

/** What the flags say goes on to guests and pods that run. */
export function syncedKeysOf({ labelsSync, annotationsSync }: Options): SyncedKeys {
  return syncedKeys({ labels: labelsSync, annotations: annotationsSync })
}
