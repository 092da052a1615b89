import { expect, test } from '@jest/globals'
import { vm, vmi, withLabel } from '@kubevirt-ts/libvmi'
import { createRegistry } from '@kubevirt-ts/service'
import { registerVmLabels, seriesLabels } from './labels.ts'
import { SyncCounts } from './syncs.ts'

test("a VM's labels are labels of a series of its own", async () => {
  const registry = createRegistry('virt-controller')
  const machine = vm(vmi())
  machine.metadata.labels = { 'app.kubernetes.io/name': 'web "1"', tier: 'front' }
  const other = vm(vmi())
  registerVmLabels(registry, () => [machine, other])
  const text = await registry.metrics()
  expect(text).toMatch(/kubevirt_vm_labels{.*label_app_kubernetes_io_name="web \\"1\\"",label_tier="front".*} 1/)
  expect(text.match(/^kubevirt_vm_labels{/gm)).toHaveLength(2)
})

test('labels that look the same to Prometheus do not hide each other', () => {
  expect(seriesLabels({ 'a/b': '2', 'a.b': '1', c: '3' })).toEqual({
    label_a_b: '1',
    label_a_b_conflict1: '2',
    label_c: '3',
  })
})

test('writes of a VMI are counted until it is gone', async () => {
  const registry = createRegistry('virt-controller')
  const syncs = new SyncCounts()
  syncs.register(registry)
  const guest = vmi(withLabel('a', 'b'))
  guest.metadata = { ...guest.metadata, namespace: 'default', name: 'web' }
  syncs.count(guest)
  syncs.count(guest)
  expect(await registry.metrics()).toMatch(/kubevirt_vmi_sync_total{namespace="default",name="web".*} 2/)
  syncs.forget('default/web')
  expect(await registry.metrics()).not.toContain('name="web"')
})
