import { expect } from '@jest/globals'
import { arm, killing, signalling, standingStill } from '../../framework/armed.ts'
import { ensure, eventually } from '../../framework/eventually.ts'
import { handlerOn } from '../../framework/faults.ts'
import { apply, getVmi, kubectl, vmiInPhase } from '../../framework/kubectl.ts'
import { namespace as product } from '../../framework/product.ts'
import { scenario } from '../../framework/scenario.ts'
import { TickLog } from '../../framework/ticks.ts'
import { tickingVm } from '../../manifests/ticking.ts'
import { askToMove, homeOf, launchers, policyFor } from './moves.ts'

const name = 'unheard'
const progress = 'migration.kubevirt-ts.io/progress'

/**
 * The one moment in which a guest may run twice, made to happen: its target is told to let it run, and nobody can hear
 * whether it does. Its target's libvirt is stopped (SIGSTOP) until the connection is gone, so it finds the order behind a line that is dead.
 */
export function lostWordScenario(namespace: string): void {
  scenario(
    'a guest whose target is told to let it run, but not heard any more, stands still at its source until one of them has it',
    async () => {
      await apply(tickingVm({ name, namespace, graceSeconds: 0 }))
      await vmiInPhase(namespace, name, 'Running')
      // Slow enough for two programs to be ready at its target before it is there.
      await using _policy = await policyFor(name, { bandwidthPerMigration: '8Mi' })
      using ticks = new TickLog()
      const source = await homeOf(namespace, name)
      ticks.follow(source)
      const before = await getVmi(namespace, name)
      const from = await handlerOn(source.spec.nodeName ?? '')
      await using still = await arm(source, 'compute', standingStill(before.metadata.uid ?? '', 1_500))
      await using kill = await arm(from, 'virt-handler', killing('/app/virt-handler.mjs'))
      const move = await askToMove(namespace, name)
      const target = await eventually('the target runs', async () => {
        const found = (await launchers(before)).find(({ metadata }) => metadata.uid !== source.metadata.uid)
        ensure(found, 'it does not')
        return found
      })
      ticks.follow(target)
      await using stop = await arm(target, 'compute', signalling(libvirt, 'SIGSTOP'))
      await using goOn = await arm(target, 'compute', signalling(libvirt, 'SIGCONT'))
      await eventually('memory is copied', async () => {
        const told = (await getVmi(namespace, name)).metadata.annotations?.[progress] ?? ''
        ensure(told.includes(move.metadata.uid ?? '?'), `the VMI says ${told}`)
      })
      await stop.act()
      await still.act()
      await kill.act()
      await kubectl('delete', 'pod', from.metadata.name, '-n', product, '--force', '--grace-period=0')
      await handlerOn(from.spec.nodeName ?? '', [from])
      await eventually('the source asks where its guest is', async () => {
        const events = await kubectl('get', 'events', '-n', namespace, '-o', 'json')
        ensure(events.includes('MigrationInDoubt'), 'no event says so')
      })
      const heard = ticks.of(source).length
      await goOn.act()

      const home = await eventually(
        'one of them has it',
        async () => {
          const vmi = await getVmi(namespace, name)
          const { completed, migrationUid } = vmi.status?.migrationState ?? {}
          ensure(completed === true && migrationUid === move.metadata.uid, JSON.stringify(vmi.status?.migrationState))
          const running = await launchers(vmi)
          ensure(running.length === 1, `${running.length} launchers run`)
          return homeOf(namespace, name)
        },
        90_000,
      )
      expect((await getVmi(namespace, name)).metadata.uid).toBe(before.metadata.uid)
      const known = home.metadata.uid === source.metadata.uid ? heard : 0
      await eventually('it counts on', async () => ensure(ticks.of(home).length > known, `it stands at ${known}`))
      expect(ticks.twice()).toEqual([])
      await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=60s')
    },
    300_000,
  )
}

/** How libvirt's daemon is called, in one piece or by itself. */
const libvirt = ['libvirtd', 'virtqemud']
