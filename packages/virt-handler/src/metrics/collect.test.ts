import { expect, test } from '@jest/globals'
import { silentLog } from '@kubevirt-ts/controller/testing'
import { createRegistry } from '@kubevirt-ts/service'
import type { Launcher } from '../launcher-clients/launcher-clients.ts'
import { offerGuestMetrics } from './collect.ts'

const statistics = {
  domain: {
    'cpu.time': 2_500_000_000,
    'vcpu.0.state': 1,
    'vcpu.0.time': 1_000_000_000,
    'balloon.current': 131_072,
    'net.0.name': 'tap0',
    'net.0.rx.bytes': 42,
    'block.0.name': 'vda',
    'block.0.rd.reqs': 7,
  },
  filesystems: [{ diskName: 'vda1', mountPoint: '/', fileSystemType: 'ext4', usedBytes: 1, totalBytes: 2 }],
}

function launcher(name: string, getDomainStats: () => Promise<object>): Launcher {
  return { guest: { namespace: 'ns', name, uid: name }, cmd: { getDomainStats } } as unknown as Launcher
}

test("every guest's statistics are told once for each scrape, and a launcher that fails keeps no other back", async () => {
  const registry = createRegistry('virt-handler')
  let asked = 0
  const good = launcher('vm', async () => {
    asked += 1
    return { response: { success: true, message: '' }, domainStats: JSON.stringify(statistics) }
  })
  const bad = launcher('gone', () => Promise.reject(new Error('no answer')))
  offerGuestMetrics({ registry, node: 'node-1', launchers: () => [bad, good], log: silentLog() })

  await registry.metrics()
  const text = await registry.metrics()

  const guest = 'node="node-1",namespace="ns",name="vm"'
  expect(text).toContain(`kubevirt_vmi_cpu_usage_seconds_total{${guest}} 2.5`)
  expect(text).toContain(`kubevirt_vmi_vcpu_seconds_total{${guest},id="0",state="running"} 1`)
  expect(text).toContain(`kubevirt_vmi_memory_actual_balloon_bytes{${guest}} 134217728`)
  expect(text).toContain(`kubevirt_vmi_network_receive_bytes_total{${guest},interface="tap0"} 42`)
  expect(text).toContain(`kubevirt_vmi_storage_iops_read_total{${guest},drive="vda"} 7`)
  expect(text).toContain(`disk_name="vda1",mount_point="/",file_system_type="ext4"} 2`)
  expect(text).not.toContain('gone')
  expect(asked).toBe(2)
})
