import { expect, test } from '@jest/globals'
import { virtualMachineSnapshots } from '@kubevirt-ts/api'
import { WorkQueue, restClientMetrics } from '@kubevirt-ts/controller'
import { silentLog } from '@kubevirt-ts/controller/testing'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { createRegistry } from '@kubevirt-ts/service'
import type { Registry } from '@kubevirt-ts/service'
import { createInformers } from '../informers.ts'
import { registerCacheMetrics } from './register.ts'
import { SyncCounts } from './syncs.ts'
import { createMetrics } from './transitions.ts'

const vmStates = ['error', 'migrating', 'non_running', 'running', 'starting']

/** What dashboards and alerts for KubeVirt ask virt-controller for, by type, with the labels that they select by. */
const expected: readonly (readonly [type: string, name: string, labels: string])[] = [
  ['counter', 'rest_client_requests_total', 'code method host resource verb'],
  ['histogram', 'rest_client_request_latency_seconds', 'verb url'],
  ['histogram', 'rest_client_rate_limiter_duration_seconds', 'verb url'],
  ['counter', 'workqueue_adds_total', 'name'],
  ['gauge', 'workqueue_depth', 'name'],
  ['histogram', 'workqueue_queue_duration_seconds', 'name'],
  ['histogram', 'workqueue_work_duration_seconds', 'name'],
  ['counter', 'workqueue_retries_total', 'name'],
  ['gauge', 'workqueue_unfinished_work_seconds', 'name'],
  ['gauge', 'workqueue_longest_running_processor_seconds', 'name'],
  ['counter', 'vmi_sync_total', 'namespace name'],
  ['gauge', 'virt_controller_ready_status', ''],
  ['gauge', 'virt_controller_leading_status', ''],
  ['histogram', 'vmi_phase_transition_time_seconds', 'phase last_phase'],
  ['histogram', 'vmi_phase_transition_time_from_creation_seconds', 'phase'],
  ['histogram', 'vmi_phase_transition_time_from_deletion_seconds', 'phase'],
  ['histogram', 'vmi_migration_phase_transition_time_from_creation_seconds', 'phase'],
  ['gauge', 'vmi_migrations_in_unset_phase', ''],
  ['gauge', 'vmi_migrations_in_pending_phase', ''],
  ['gauge', 'vmi_migrations_in_scheduling_phase', ''],
  ['gauge', 'vmi_migrations_in_running_phase', ''],
  ['gauge', 'vmi_migration_succeeded', 'vmi vmim namespace'],
  ['gauge', 'vmi_migration_failed', 'vmi vmim namespace'],
  ['gauge', 'vmi_migration_start_time_seconds', 'node namespace name migration_name'],
  ['gauge', 'vmi_migration_end_time_seconds', 'node namespace name migration_name status'],
  ['gauge', 'vmi_number_of_outdated', ''],
  ['gauge', 'vmi_non_evictable', 'node namespace name'],
  [
    'gauge',
    'vmi_info',
    'node namespace name phase os workload flavor instance_type preference evictable outdated vmi_pod',
  ],
  ['gauge', 'vmi_status_addresses', 'node namespace name vnic_name interface_name address type'],
  ['gauge', 'vmi_vnic_info', 'node namespace name vnic_name binding_type network binding_name model'],
  ['gauge', 'vm_vnic_info', 'namespace name vnic_name binding_type network binding_name model'],
  ['gauge', 'vmi_launcher_memory_overhead_bytes', 'namespace name'],
  ['gauge', 'vm_info', 'name namespace os workload flavor machine_type instance_type preference status status_group'],
  ['gauge', 'vm_labels', ''],
  ['gauge', 'vm_create_date_timestamp_seconds', 'name namespace'],
  ['gauge', 'vm_disk_allocated_size_bytes', 'name namespace persistentvolumeclaim volume_mode device'],
  ['gauge', 'vm_resource_requests', 'name namespace resource unit source'],
  ['gauge', 'vm_resource_limits', 'name namespace resource unit'],
  ...vmStates.map(
    (state) => ['counter', `vm_${state}_status_last_transition_timestamp_seconds`, 'name namespace'] as const,
  ),
  ['gauge', 'vmsnapshot_succeeded_timestamp_seconds', 'name snapshot_name namespace'],
]

/** Everything that virt-controller registers, over caches with these objects. */
async function registered(objects: Parameters<typeof fakeClient>[0] = []): Promise<Registry> {
  const registry = createRegistry('virt-controller')
  const informers = createInformers(fakeClient(objects), 'kubevirt', silentLog())
  const stop = new AbortController()
  informers.snapshots.start(stop.signal)
  await informers.snapshots.synced
  stop.abort()
  createMetrics(registry)
  restClientMetrics(registry)
  new WorkQueue({ name: 'test', registry })
  new SyncCounts().register(registry)
  registerCacheMetrics(registry, informers, { configuration: () => ({}) }, 'image')
  return registry
}

test.each(expected)('%s kubevirt_%s is exposed, with labels "%s"', async (type, name, labels) => {
  const registry = await registered()
  const metric = registry.getSingleMetric(`kubevirt_${name}`) as { labelNames?: string[] } | undefined

  expect(await registry.metrics()).toContain(`# TYPE kubevirt_${name} ${type}\n`)
  // Those of this one are the labels of each VM.
  if (name === 'vm_labels') return
  expect(metric?.labelNames).toEqual(expect.arrayContaining(labels.split(' ').filter(Boolean)))
})

test('a snapshot that succeeded tells when it was taken, one that did not tells nothing', async () => {
  const snapshot = (name: string, phase: string) => ({
    apiVersion: 'snapshot.kubevirt.io/v1beta1',
    kind: virtualMachineSnapshots.kind,
    metadata: { name, namespace: 'default' },
    spec: { source: { kind: 'VirtualMachine', name: 'web' } },
    status: { phase, creationTime: '1970-01-01T00:01:40Z' },
  })
  const registry = await registered([snapshot('good', 'Succeeded'), snapshot('bad', 'Failed')])

  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('kubevirt_vmsnapshot'))

  expect(lines).toEqual([
    'kubevirt_vmsnapshot_succeeded_timestamp_seconds{name="web",snapshot_name="good",namespace="default"} 100',
  ])
})
