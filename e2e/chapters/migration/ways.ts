import { expect } from '@jest/globals'
import { ensure, eventually } from '../../framework/eventually.ts'
import { figure } from '../../framework/figure.ts'
import { apply, getVmi, kubectl, refused, vmiInPhase } from '../../framework/kubectl.ts'
import { scenario } from '../../framework/scenario.ts'
import { pauseBetween, TickLog } from '../../framework/ticks.ts'
import { tryVirtctl, virtctl } from '../../framework/virtctl.ts'
import { tickingVm } from '../../manifests/ticking.ts'
import { onNode } from '../../framework/node.ts'
import { alongScenario } from './along.ts'
import { growthScenario } from './growth.ts'
import { askToMove, counts, homeOf, moveEnded, oneRunningPod, policyFor } from './moves.ts'
import { obstacleScenarios } from './obstacles.ts'
import { secondaryScenario } from './secondary.ts'
import { updaterScenario } from './updater.ts'
import { volumeScenario } from './volumes.ts'

const name = 'wayfarer'
/** More of the guest's memory than may be copied in the time that it takes to write it. */
const writing = 'mount -t tmpfs none /mnt; (while :; do yes | head -c 24M >/mnt/written; done) &'

/** How guests move by other ways than the plain one: `E2E_MIGRATION_WAYS=1`. */
export function wayScenarios(namespace: string): void {
  if (process.env['E2E_MIGRATION_WAYS'] !== '1') return
  growthScenario(namespace)
  obstacleScenarios(namespace)
  secondaryScenario(namespace)
  volumeScenario(namespace)
  alongScenario(namespace)
  updaterScenario(namespace)

  scenario('a bandwidth that is allowed is kept to', async () => {
    await apply(tickingVm({ name, namespace, graceSeconds: 0 }))
    await vmiInPhase(namespace, name, 'Running')
    const took = async (bandwidthPerMigration: string): Promise<number> => {
      await using _policy = await policyFor(name, { bandwidthPerMigration })
      await virtctl('migrate', name, '-n', namespace, '--wait', '--timeout', '110')
      const { startTimestamp, endTimestamp } = (await getVmi(namespace, name)).status?.migrationState ?? {}
      return Date.parse(endTimestamp ?? '') - Date.parse(startTimestamp ?? '')
    }
    const slow = await took('8Mi')
    const fast = await took('0')
    figure('a move at 8 MiB/s', slow)
    figure('a move without limit', fast)
    expect(slow).toBeGreaterThan(fast + 1_000)
  })

  scenario('a guest that its user paused moves and stays paused, and goes on where it is', async () => {
    using ticks = new TickLog()
    const before = await homeOf(namespace, name)
    ticks.follow(before)
    await virtctl('pause', 'vmi', name, '-n', namespace)
    await virtctl('migrate', name, '-n', namespace, '--wait', '--timeout', '110')
    const after = await homeOf(namespace, name)
    expect(after.spec.nodeName).not.toBe(before.spec.nodeName)
    ticks.follow(after)
    const { status } = await getVmi(namespace, name)
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Paused', status: 'True', reason: 'PausedByUser' }),
    )
    expect(ticks.of(after)).toEqual([])
    await virtctl('unpause', 'vmi', name, '-n', namespace)
    await eventually('it counts on', async () =>
      ensure(pauseBetween(ticks.of(before), ticks.of(after)) !== undefined, 'it does not'),
    )
    expect(ticks.twice()).toEqual([])
  })

  scenario('a move that does not end in its time is given up with that reason; the guest goes on', async () => {
    await using _policy = await policyFor(name, { bandwidthPerMigration: '1Mi', completionTimeoutPerGiB: 2 })
    const { status } = await getVmi(namespace, name)
    const { code, stderr } = await tryVirtctl('migrate', name, '-n', namespace, '--wait', '--timeout', '110')
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('did not end within 2 s') })
    expect((await getVmi(namespace, name)).status).toMatchObject({ phase: 'Running', nodeName: status?.nodeName })
    await oneRunningPod(namespace, name)
  })

  scenario('a guest that may be disturbed is stopped to end its move, and runs at its target', async () => {
    await using _policy = await policyFor(name, {
      bandwidthPerMigration: '5Mi',
      completionTimeoutPerGiB: 10,
      allowWorkloadDisruption: true,
    })
    using ticks = new TickLog()
    const before = await homeOf(namespace, name)
    ticks.follow(before)
    const { metadata } = await askToMove(namespace, name)
    const state = await moveEnded(namespace, name, metadata.uid)
    expect(state).toMatchObject({ mode: 'Paused', completed: true })
    expect(state.failed).toBeUndefined()
    const after = await homeOf(namespace, name)
    ticks.follow(after)
    const pause = await eventually('it counts on', async () => {
      const found = pauseBetween(ticks.of(before), ticks.of(after))
      ensure(found !== undefined, 'it does not')
      return found
    })
    figure('pause of a guest that was stopped to end its move', pause)
    const conditions = (await getVmi(namespace, name)).status?.conditions ?? []
    expect(conditions.filter(({ type }) => type === 'Paused')).toEqual([])
    expect(ticks.twice()).toEqual([])
  })

  scenario('a guest that writes to its memory without an end moves by auto-converge', async () => {
    const writer = 'writer'
    await apply(tickingVm({ name: writer, namespace, graceSeconds: 0, before: writing }))
    await vmiInPhase(namespace, writer, 'Running')
    await counts(namespace, writer)
    await using _policy = await policyFor(writer, { allowAutoConverge: true, bandwidthPerMigration: '32Mi' })
    const before = (await getVmi(namespace, writer)).status?.nodeName
    const { metadata } = await askToMove(namespace, writer)
    const state = await moveEnded(namespace, writer, metadata.uid, 200_000)
    expect(state.failed).toBeUndefined()
    expect(state.mode).toBe('PreCopy')
    expect((await getVmi(namespace, writer)).status?.nodeName).not.toBe(before)
    await oneRunningPod(namespace, writer)
    await kubectl('delete', 'vm', writer, '-n', namespace, '--timeout=60s')
  })

  scenario(
    'post-copy moves the guest before its memory where the kernel allows it, else says what is missing',
    async () => {
      await using _policy = await policyFor(name, {
        bandwidthPerMigration: '8Mi',
        completionTimeoutPerGiB: 2,
        allowPostCopy: true,
      })
      const before = (await getVmi(namespace, name)).status
      const allowed = await onNode(before?.nodeName ?? '', 'cat', '/proc/sys/vm/unprivileged_userfaultfd').catch(String)
      const { metadata } = await askToMove(namespace, name)
      const state = await moveEnded(namespace, name, metadata.uid)
      const { status } = await getVmi(namespace, name)
      expect(status?.phase).toBe('Running')
      if (allowed.trim() === '1') {
        expect(state.failed).toBeUndefined()
        expect(state.mode).toBe('PostCopy')
        expect(status?.nodeName).not.toBe(before?.nodeName)
        process.stderr.write('      post-copy was entered\n')
      } else {
        expect(state.failureReason).toContain('userfaultfd')
        expect(status?.nodeName).toBe(before?.nodeName)
        process.stderr.write(`      post-copy was refused: ${state.failureReason}\n`)
      }
      await oneRunningPod(namespace, name)
    },
  )

  scenario('a policy with nonsense values is refused by its field', async () => {
    const policy = (spec: object) => ({
      apiVersion: 'migrations.kubevirt.io/v1alpha1',
      kind: 'MigrationPolicy',
      metadata: { name: 'nonsense' },
      spec: { selectors: { virtualMachineInstanceSelector: { 'kubevirt.io/vm': name } }, ...spec },
    })
    expect(await refused(policy({ completionTimeoutPerGiB: -1 }))).toContain('completionTimeoutPerGiB')
    expect(await refused(policy({ bandwidthPerMigration: '-5Mi' }))).toContain('bandwidthPerMigration')
    expect(await refused(policy({ bandwidthPerMigration: 'fast' }))).toContain('bandwidthPerMigration')
    expect(await refused(policy({ allowPostCopy: 'perhaps' }))).toContain('allowPostCopy')
  })

  scenario('a move to where no node fits fails and says why; the guest goes on', async () => {
    const before = (await getVmi(namespace, name)).status
    await apply({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: {
        name: 'nowhere',
        namespace,
        annotations: { 'kubevirt.io/migrationUnschedulablePodTimeoutSeconds': '5' },
      },
      spec: { vmiName: name, addedNodeSelector: { 'no-such-label': 'yes' } },
    })
    const reason = await eventually('it has failed', async () => {
      const events = await kubectl('get', 'events', '-n', namespace, '-o', 'json')
      const items = (JSON.parse(events) as { items: { reason: string; message: string }[] }).items
      const failed = items.find((each) => each.reason === 'FailedMigration' && each.message.includes('did not start'))
      ensure(failed, 'no event says so')
      return failed.message
    })
    expect(reason).toMatch(/node\(s\) didn't match|nodes are available/)
    expect((await getVmi(namespace, name)).status).toMatchObject({ phase: 'Running', nodeName: before?.nodeName })
    await oneRunningPod(namespace, name)
    await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
  })
}
