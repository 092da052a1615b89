import { expect } from '@jest/globals'
import type { Pod, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { ensure, eventually } from '../../framework/eventually.ts'
import { apply, getVmi, inLauncher, kubectl, list, vmiInPhase } from '../../framework/kubectl.ts'
import { scenario } from '../../framework/scenario.ts'
import { pauseBetween, TickLog } from '../../framework/ticks.ts'
import { claimOnAllNodes, claimOnNode } from '../../manifests/claims.ts'
import { tryVirtctl } from '../../framework/virtctl.ts'
import { tickingVm } from '../../manifests/ticking.ts'
import { homeOf, oneRunningPod, updateWorkloadsBy } from './moves.ts'

const name = 'mover'

/** A guest goes on while the content of its volume moves to another claim. `E2E_MIGRATION_WAYS=1`. */
export function volumeScenario(namespace: string): void {
  scenario(
    'a volume moves to another claim under its running guest; one that is too small waits for a restart',
    async () => {
      await updateWorkloadsBy(['LiveMigrate'])
      try {
        await apply(claimOnAllNodes({ name: 'old', namespace, size: '16Mi' }))
        for (const [claim, size] of Object.entries({ new: '16Mi', small: '8Mi' }))
          await apply(claimOnNode({ name: claim, namespace, size }))
        await apply(tickingVm({ name, namespace, graceSeconds: 0, claim: 'old', before: writing }))
        await vmiInPhase(namespace, name, 'Running')
        expect((await getVmi(namespace, name)).status?.conditions).toContainEqual(
          expect.objectContaining({ type: 'LiveMigratable', status: 'True' }),
        )
        using ticks = new TickLog()
        const before = await homeOf(namespace, name)
        ticks.follow(before)
        await eventually('the guest counts', async () => ensure(ticks.of(before).length > 0, 'nothing was heard'))
        await eventually('the guest has written', async () => ensure((await seenOn(before)).kept, 'nothing is there'))

        await moveTo(namespace, 'new')
        await eventually(
          'the guest lives on the new claim',
          async () => {
            const { spec, status } = await getVmi(namespace, name)
            const told = JSON.stringify([status?.migratedVolumes, status?.migrationState, status?.conditions])
            ensure(claimOf({ spec }) === 'new' && (status?.migratedVolumes ?? []).length === 0, told)
            ensure(status?.nodeName !== before.spec.nodeName, told)
          },
          240_000,
        )
        const after = await homeOf(namespace, name)
        ticks.follow(after)
        await eventually('it counts on', async () =>
          ensure(pauseBetween(ticks.of(before), ticks.of(after)) !== undefined, 'it does not'),
        )
        expect(ticks.twice()).toEqual([])
        expect(ticks.of(after)[0]?.boot).toBe(ticks.of(before)[0]?.boot)
        const { kept, at } = await seenOn(after)
        expect(kept).toBe(true)
        await eventually('the guest writes to the new claim', async () =>
          ensure((await seenOn(after)).at > at, `the last was at ${at}`),
        )
        await eventually('the VM has nothing left to do', async () => {
          const { status } = await vmOf(namespace)
          const open = ['RestartRequired', 'VolumesChange', 'ManualRecoveryRequired', 'Failure']
          const left = status?.conditions?.filter(({ type, status: is }) => open.includes(type) && is === 'True')
          ensure(left?.length === 0, JSON.stringify(left))
        })
        await oneRunningPod(namespace, name)
        await eventually('only one node has its claim now, so it stays there', async () => {
          const { status } = await getVmi(namespace, name)
          const migratable = status?.conditions?.find(({ type }) => type === 'LiveMigratable')
          ensure(migratable?.reason === 'DisksNotLiveMigratable', JSON.stringify(migratable))
        })
        expect((await tryVirtctl('migrate', name, '-n', namespace)).stderr).toContain('DisksNotLiveMigratable')

        await moveTo(namespace, 'small')
        await eventually('the VM says that the claim is too small', async () => {
          const required = (await vmOf(namespace)).status?.conditions?.find(({ type }) => type === 'RestartRequired')
          ensure(required?.message?.includes('is smaller'), JSON.stringify(required))
        })
        expect(claimOf(await getVmi(namespace, name))).toBe('new')
        await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
      } finally {
        await updateWorkloadsBy([])
      }
    },
    480_000,
  )
}

/** A word that stays, and the time every two seconds. */
const writing = `echo kept | dd of=/dev/vdc bs=512 seek=2048 conv=notrunc,fsync
(while :; do date +%s | dd of=/dev/vdc conv=notrunc,fsync 2>/dev/null; sleep 2; done) &`

/** What the image holds that the guest in this launcher writes to. */
async function seenOn(launcher: Pod): Promise<{ readonly kept: boolean; readonly at: number }> {
  const script = `
    const { openSync, readSync } = require('node:fs')
    const file = openSync('/var/run/kubevirt-private/vmi-disks/written/disk.img')
    const at = (offset) => { const text = Buffer.alloc(10); readSync(file, text, 0, 10, offset); return text.toString('latin1') }
    console.log(JSON.stringify({ kept: at(1048576).startsWith('kept'), at: parseInt(at(0)) || 0 }))`
  return JSON.parse(await inLauncher(launcher, script)) as { kept: boolean; at: number }
}

async function vmOf(namespace: string): Promise<VirtualMachine> {
  const [vm] = (await list<VirtualMachine>('vm', namespace)).filter(({ metadata }) => metadata.name === name)
  ensure(vm, `there is no VM ${name}`)
  return vm
}

const claimOf = ({ spec }: Pick<VirtualMachineInstance, 'spec'>): string | undefined =>
  spec.volumes?.find(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined)?.persistentVolumeClaim
    ?.claimName

async function moveTo(namespace: string, claim: string): Promise<void> {
  const volumes = (await vmOf(namespace)).spec.template.spec?.volumes?.map((volume) =>
    volume.persistentVolumeClaim === undefined ? volume : { ...volume, persistentVolumeClaim: { claimName: claim } },
  )
  const spec = { updateVolumesStrategy: 'Migration', template: { spec: { volumes } } }
  await kubectl('patch', 'vm', name, '-n', namespace, '--type=merge', '-p', JSON.stringify({ spec }))
}
