import { expect } from '@jest/globals'
import { ensure, eventually } from '../framework/eventually.ts'
import { figure } from '../framework/figure.ts'
import { apply, getVmi, kubectl, vmiInPhase } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { scenario } from '../framework/scenario.ts'
import { pauseBetween, TickLog } from '../framework/ticks.ts'
import { tryVirtctl, virtctl } from '../framework/virtctl.ts'
import { tickingVm } from '../manifests/ticking.ts'
import { cancelScenario } from './migration/cancel.ts'
import { diskScenario } from './migration/disks.ts'
import { drainScenario } from './migration/drain.ts'
import { faultScenarios } from './migration/faults.ts'
import { askToMove, homeOf, moveEnded, oneRunningPod, policyFor } from './migration/moves.ts'
import { planScenario } from './migration/plan.ts'
import { wayScenarios } from './migration/ways.ts'

/** How often the guest moves there and back; `E2E_MIGRATION_ROUNDS=50` is the long proof, with disks and drains. */
const rounds = Number(process.env['E2E_MIGRATION_ROUNDS'] ?? 1)
const moves = 2 * rounds
const name = 'traveller'

export function migrationChapter(): void {
  const namespace = testNamespace('migration')

  scenario(
    `a running guest moves to the other node and back (${moves} moves); its boot and its counting go on`,
    async () => {
      await apply(tickingVm({ name, namespace, graceSeconds: 0, evictionStrategy: 'LiveMigrate' }))
      await vmiInPhase(namespace, name, 'Running')
      using ticks = new TickLog()
      const pauses: number[] = []
      let home = await homeOf(namespace, name)
      ticks.follow(home)
      const boot = await eventually('the guest counts', async () => {
        const [first] = ticks.of(home)
        ensure(first, 'nothing was heard')
        return first.boot
      })
      for (let move = 1; move <= moves; move++) {
        const said = await virtctl('migrate', name, '-n', namespace, '--wait', '--timeout', '110')
        const { status } = await getVmi(namespace, name)
        expect(said).toContain(`VM ${name} moved from ${home.spec.nodeName} to ${status?.nodeName}`)
        expect(said).toMatch(/stood still for \d+ ms at most/)
        expect(status?.nodeName).not.toBe(home.spec.nodeName)
        expect(status?.migrationState).toMatchObject({ completed: true, targetNode: status?.nodeName })
        const next = await homeOf(namespace, name)
        ticks.follow(next)
        const pause = await eventually('the guest goes on counting', async () => {
          const found = pauseBetween(ticks.of(home), ticks.of(next))
          ensure(found !== undefined, `its last words: ${JSON.stringify(ticks.of(next).at(-1))}`)
          return found
        })
        pauses.push(pause)
        expect(ticks.of(next)[0]?.boot).toBe(boot)
        home = next
      }
      expect(ticks.twice()).toEqual([])
      const sorted = pauses.toSorted((a, b) => a - b)
      figure(`pause of the guest in ${moves} moves, p95`, sorted[Math.ceil(sorted.length * 0.95) - 1] ?? NaN)
      await oneRunningPod(namespace, name)
    },
    240_000 + moves * 60_000,
  )

  scenario(
    'a second move of a guest is refused; the first, cancelled, leaves the guest where it is',
    async () => {
      const { status, metadata } = await getVmi(namespace, name)
      await using _policy = await policyFor(name, { bandwidthPerMigration: '1Mi' })
      const first = await askToMove(namespace, name)
      await eventually('the move runs', async () => {
        const state = (await getVmi(namespace, name)).status?.migrationState
        ensure(state?.migrationUid === first.metadata.uid && state?.startTimestamp, 'it has not started')
      })
      const second = await tryVirtctl('migrate', name, '-n', namespace)
      expect(second.code).not.toBe(0)
      expect(second.stderr).toContain('in-flight migration detected')
      await virtctl('migrate-cancel', name, '-n', namespace)
      const state = await moveEnded(namespace, name, first.metadata.uid)
      expect(state).toMatchObject({ failed: true, abortStatus: 'Succeeded' })
      const after = await getVmi(namespace, name)
      expect(after.status).toMatchObject({ phase: 'Running', nodeName: status?.nodeName })
      expect(after.metadata.uid).toBe(metadata.uid)
      await oneRunningPod(namespace, name)
    },
    300_000,
  )

  planScenario(namespace, name)
  if (rounds > 1) {
    cancelScenario(namespace, name)
    diskScenario(namespace)
    drainScenario(namespace)
  }
  wayScenarios(namespace)
  faultScenarios(namespace)

  scenario('the guest that moved can be deleted', async () => {
    await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
  })
}
