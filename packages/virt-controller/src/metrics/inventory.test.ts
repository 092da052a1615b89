import { expect, test } from '@jest/globals'
import type { VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { listerOf } from '@kubevirt-ts/controller/testing'
import { vmi, withName, withStatus } from '@kubevirt-ts/libvmi'
import { createRegistry } from '@kubevirt-ts/service'
import { registerInventoryMetrics } from './inventory.ts'

const migration = (name: string, phase?: string): VirtualMachineInstanceMigration => ({
  metadata: { name, namespace: 'default' },
  spec: { vmiName: 'web' },
  ...(phase === undefined ? {} : { status: { phase } }),
})

test('migrations are counted by phase, finished ones named, outdated guests counted', async () => {
  const registry = createRegistry('virt-controller')
  const old = withStatus({ phase: 'Running', launcherContainerImageVersion: 'v1' })
  registerInventoryMetrics(registry, {
    vmis: listerOf([
      vmi(withName('old'), old),
      vmi(withName('new'), withStatus({ phase: 'Running', launcherContainerImageVersion: 'v2' })),
      vmi(withName('over'), old, withStatus({ phase: 'Failed' })),
    ]),
    migrations: listerOf([
      migration('a'),
      migration('b', 'Pending'),
      migration('c', 'TargetReady'),
      migration('d', 'Running'),
      migration('e', 'Failed'),
    ]),
    launcherImage: 'v2',
  })
  const lines = (await registry.metrics()).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'kubevirt_vmi_migrations_in_unset_phase 1',
      'kubevirt_vmi_migrations_in_pending_phase 1',
      'kubevirt_vmi_migrations_in_scheduling_phase 0',
      'kubevirt_vmi_migrations_in_running_phase 2',
      'kubevirt_vmi_migration_failed{vmi="web",vmim="e",namespace="default"} 1',
      'kubevirt_vmi_number_of_outdated 1',
    ]),
  )
})
