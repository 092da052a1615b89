import { expect, test } from '@jest/globals'
import { vm, vmi, withName, withStatus } from '@kubevirt-ts/libvmi'
import { createRegistry } from '@kubevirt-ts/service'
import { registerFamilies } from './family.ts'
import { createMetrics } from './transitions.ts'
import { statusGroup, vmFamilies } from './vm.ts'
import { vmiFamilies } from './vmi.ts'

const guest = vmi(
  withName('web'),
  (object) => {
    object.metadata.namespace = 'default'
    object.metadata.annotations = { 'vm.kubevirt.io/os': 'fedora', 'kubevirt.io/cluster-instancetype-name': 'small' }
    object.spec.evictionStrategy = 'LiveMigrate'
    object.spec.networks = [{ name: 'default', pod: {} }]
    object.spec.domain.devices.interfaces = [{ name: 'default', masquerade: {}, model: 'virtio' }]
  },
  withStatus({
    phase: 'Running',
    nodeName: 'node01',
    memory: { memoryOverhead: '290Mi' },
    interfaces: [
      { name: 'default', interfaceName: 'eth0', ipAddress: '10.0.2.2', ipAddresses: ['10.0.2.2', 'fd00::2'] },
    ],
  }),
)

test('each guest tells what and where it is, its cards and addresses, and whether it can leave its node', async () => {
  const registry = createRegistry('virt-controller')
  registerFamilies(registry, () => [guest], vmiFamilies({ podsOf: () => [], evictionStrategy: () => undefined }))
  const text = await registry.metrics()
  const who = 'node="node01",namespace="default",name="web"'
  expect(text).toMatch(new RegExp(`kubevirt_vmi_info{.*${who}.*os="fedora".*instance_type="small".*phase="running"`))
  expect(text).toMatch(new RegExp(`kubevirt_vmi_non_evictable{.*${who}} 1`))
  expect(text).toMatch(new RegExp(`kubevirt_vmi_status_addresses{.*address="fd00::2",type="InternalIPv6"} 1`))
  expect(text).toMatch(
    /kubevirt_vmi_vnic_info{.*binding_type="core",network="pod networking",binding_name="masquerade"/,
  )
  expect(text).toContain(`kubevirt_vmi_launcher_memory_overhead_bytes{`)
  expect(text).toMatch(/overhead_bytes{.*name="web"} 304087040/)
})

test('each VM tells its state, resources and disks', async () => {
  const registry = createRegistry('virt-controller')
  const machine = vm(guest, (object) => {
    object.metadata.creationTimestamp = '2026-01-01T00:00:00Z'
    object.status = { printableStatus: 'Running' }
    object.spec.template.spec!.domain.cpu = { cores: 2 }
    object.spec.template.spec!.domain.resources = { limits: { cpu: '1500m' } }
    object.spec.template.spec!.volumes = [{ name: 'root', persistentVolumeClaim: { claimName: 'disk' } }]
  })
  const claim = { metadata: { name: 'disk' }, status: { capacity: { storage: '1Gi' } } }
  registerFamilies(registry, () => [machine], vmFamilies({ claim: () => claim }))
  const text = await registry.metrics()
  expect(text).toMatch(/kubevirt_vm_info{.*status="running",status_group="running"} 1/)
  expect(text).toMatch(/kubevirt_vm_create_date_timestamp_seconds{.*} 1767225600/)
  expect(text).toMatch(/kubevirt_vm_running_status_last_transition_timestamp_seconds{.*} 1767225600/)
  expect(text).toMatch(/kubevirt_vm_error_status_last_transition_timestamp_seconds{.*} 0/)
  expect(text).toMatch(/kubevirt_vm_resource_requests{.*unit="cores",source="domain"} 2/)
  expect(text).toMatch(/kubevirt_vm_resource_limits{.*resource="cpu",unit="cores"} 1.5/)
  expect(text).toMatch(/kubevirt_vm_disk_allocated_size_bytes{.*persistentvolumeclaim="disk".*} 1073741824/)
})

test.each([
  ['Provisioning', 'starting'],
  ['Stopped', 'non_running'],
  ['Migrating', 'migrating'],
  ['ErrImagePull', 'error'],
])('a VM that is %s counts as %s', (status, group) => {
  expect(statusGroup(status)).toBe(group)
})

test('the time between two phases is measured, whoever wrote them', async () => {
  const registry = createRegistry('virt-controller')
  const at = (phase: string, time: string) => ({ phase, phaseTransitionTimestamp: `2026-01-01T00:00:${time}Z` })
  const before = vmi(withStatus({ phase: 'Scheduled', phaseTransitionTimestamps: [at('Scheduled', '02')] }))
  const steps = [at('Scheduled', '02'), at('Running', '05')]
  const after = vmi(withStatus({ phase: 'Running', phaseTransitionTimestamps: steps }))
  after.metadata.creationTimestamp = '2026-01-01T00:00:00Z'
  createMetrics(registry).vmiChanged(before, after)
  const text = await registry.metrics()
  expect(text).toMatch(/phase_transition_time_seconds_sum{.*phase="Running",last_phase="Scheduled".*} 3/)
  expect(text).toMatch(/time_from_creation_seconds_sum{.*phase="Running".*} 5/)
})
