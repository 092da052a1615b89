import { expect } from '@jest/globals'
import { ensure, eventually } from '../../framework/eventually.ts'
import { figure } from '../../framework/figure.ts'
import { getVmi, tryKubectl } from '../../framework/kubectl.ts'
import { scenario } from '../../framework/scenario.ts'
import { TickLog } from '../../framework/ticks.ts'
import { tryVirtctl, virtctl } from '../../framework/virtctl.ts'
import { finished, homeOf, migrations, oneRunningPod, policyFor } from './moves.ts'

/** Phases in which a user may change her mind; those that last a moment are met where they are met. */
const phases = ['', 'Pending', 'Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady', 'Running']
const order = [...phases, ...finished]

/** A move may be taken back whenever; the guest notices nothing, and whatever came of it can be told. */
export function cancelScenario(namespace: string, name: string): void {
  scenario(
    'a move that is cancelled in any of its phases leaves one running guest, which goes on counting',
    async () => {
      await using _policy = await policyFor(name, { bandwidthPerMigration: '4Mi' })
      for (const wanted of phases) {
        using ticks = new TickLog()
        const before = await homeOf(namespace, name)
        ticks.follow(before)
        const known = new Set((await migrations(namespace)).map(({ metadata }) => metadata.uid))
        await virtctl('migrate', name, '-n', namespace)
        const met = await eventually(`the move is ${wanted} or further`, async () => {
          const own = (await migrations(namespace)).find(({ metadata }) => !known.has(metadata.uid))
          const phase = own?.status?.phase ?? ''
          ensure(own && order.indexOf(phase) >= order.indexOf(wanted), `it is ${phase}`)
          return { phase, uid: own.metadata.uid }
        })
        const started = Date.now()
        const { code, stderr } = await tryVirtctl('migrate-cancel', name, '-n', namespace)
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
        await eventually('the move is over and forgotten', async () => {
          const left = (await migrations(namespace)).find(({ metadata }) => metadata.uid === met.uid)
          ensure(left === undefined, `it is ${left?.status?.phase}`)
        })
        figure(`cancelled in phase ${met.phase || '(new)'}`, Date.now() - started)
        const { status } = await getVmi(namespace, name)
        expect({ wanted, phase: status?.phase, node: status?.nodeName }).toEqual({
          wanted,
          phase: 'Running',
          node: before.spec.nodeName,
        })
        await oneRunningPod(namespace, name)
        const heard = ticks.of(before).at(-1)?.count ?? 0
        await eventually('it counts on', async () =>
          ensure((ticks.of(before).at(-1)?.count ?? 0) > heard, `it stands at ${heard}`),
        )
        expect(ticks.twice()).toEqual([])
      }
      const { code } = await tryVirtctl('migrate-cancel', name, '-n', namespace)
      expect(code).toBe(1)
      expect((await tryKubectl(['get', 'vmim', '-n', namespace])).code).toBe(0)
    },
    600_000,
  )
}
