import { expect } from '@jest/globals'
import type { Pod, VirtualMachineInstance, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { ensure, eventually } from '../framework/eventually.ts'
import { apply, get, getVmi, kubectl, list, vmiInPhase } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { scenario } from '../framework/scenario.ts'
import { Console, virtctl } from '../framework/virtctl.ts'
import { tinyVm } from '../manifests/vms.ts'
import { diskScenario } from './migration/disks.ts'
import { drainScenario } from './migration/drain.ts'

/** How often the guest moves there and back; `E2E_MIGRATION_ROUNDS=25` is the long proof, with disks and drains. */
const rounds = Number(process.env['E2E_MIGRATION_ROUNDS'] ?? 1)
const moves = 2 * rounds
const name = 'traveller'
const finished = ['Succeeded', 'Failed']

export function migrationChapter(): void {
  const namespace = testNamespace('migration')

  scenario(
    'a running guest moves to the other node and back; its boot, its memory and its counter go on',
    async () => {
      await apply(tinyVm({ name, namespace, graceSeconds: 0 }))
      await vmiInPhase(namespace, name, 'Running')
      await inGuest(namespace, async (console) => {
        await console.ask('(n=0; while true; do n=$((n+1)); echo $n > /tmp/counter; usleep 100000; done) & ', /[#$] *$/)
      })
      const boot = await bootOf(namespace)
      let counted = await counterOf(namespace)
      let node = (await getVmi(namespace, name)).status?.nodeName
      for (let move = 1; move <= moves; move++) {
        const migration = await migrate(namespace)
        expect(migration.status).toMatchObject({ phase: 'Succeeded' })
        const vmi = await getVmi(namespace, name)
        expect(vmi.status?.nodeName).not.toBe(node)
        expect(vmi.status?.migrationState).toMatchObject({ completed: true, targetNode: vmi.status?.nodeName })
        node = vmi.status?.nodeName
        expect(await bootOf(namespace)).toBe(boot)
        const now = await counterOf(namespace)
        expect(now).toBeGreaterThan(counted)
        counted = now
      }
      await oneRunningPod(namespace)
    },
    240_000 + moves * 60_000,
  )

  scenario(
    'a cancelled migration leaves the guest where it is',
    async () => {
      const { status, metadata } = await getVmi(namespace, name)
      const slow = { bandwidthPerMigration: '1Mi' }
      await apply({
        apiVersion: 'migrations.kubevirt.io/v1alpha1',
        kind: 'MigrationPolicy',
        metadata: { name: 'slow' },
        spec: { ...slow, selectors: { virtualMachineInstanceSelector: { 'kubevirt.io/vm': name } } },
      })
      await virtctl('migrate', name, '-n', namespace)
      const running = await migrationWhere(namespace, ({ status: { phase } = {} }) => phase === 'Running')
      await virtctl('migrate-cancel', name, '-n', namespace)
      await eventually('the migration has ended', async () => {
        const state = (await getVmi(namespace, name)).status?.migrationState
        ensure(state?.migrationUid === running.metadata.uid && state?.completed === true, JSON.stringify(state))
      })
      const after = await getVmi(namespace, name)
      expect(after.status).toMatchObject({ phase: 'Running', nodeName: status?.nodeName })
      expect(after.status?.migrationState).toMatchObject({ failed: true, abortStatus: 'Succeeded' })
      expect(after.metadata.uid).toBe(metadata.uid)
      await oneRunningPod(namespace)
      await kubectl('delete', 'migrationpolicy', 'slow')
      await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=60s')
    },
    180_000,
  )

  if (rounds > 1) {
    diskScenario(namespace)
    drainScenario(namespace)
  }
}

async function migrate(namespace: string): Promise<VirtualMachineInstanceMigration> {
  const before = new Set((await migrations(namespace)).map(({ metadata }) => metadata.uid))
  await virtctl('migrate', name, '-n', namespace)
  return migrationWhere(
    namespace,
    ({ metadata, status }) => !before.has(metadata.uid) && finished.includes(status?.phase ?? ''),
  )
}

const migrations = (namespace: string): Promise<VirtualMachineInstanceMigration[]> =>
  list<VirtualMachineInstanceMigration>('vmim', namespace)

async function migrationWhere(
  namespace: string,
  wanted: (migration: VirtualMachineInstanceMigration) => boolean,
): Promise<VirtualMachineInstanceMigration> {
  return eventually(
    'a migration is as far as that',
    async () => {
      const found = (await migrations(namespace)).find(wanted)
      ensure(found, JSON.stringify((await migrations(namespace)).map(({ status }) => status?.phase)))
      return found
    },
    120_000,
  )
}

async function inGuest<T>(namespace: string, use: (console: Console) => Promise<T>): Promise<T> {
  await using console = new Console(namespace, name)
  await console.logIn('root', 'kubevirt')
  return await use(console)
}

const bootOf = (namespace: string): Promise<string> =>
  inGuest(namespace, async (console) => {
    const said = await console.ask('cat /proc/sys/kernel/random/boot_id', /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/)
    return said.slice(-36)
  })

const counterOf = (namespace: string): Promise<number> =>
  inGuest(namespace, async (console) => {
    const said = await console.ask('echo counted-$(cat /tmp/counter)-', /counted-(\d+)-/)
    return Number(/counted-(\d+)-/.exec(said)?.[1])
  })

/** The other pods of the guest have ended by themselves. */
async function oneRunningPod(namespace: string): Promise<void> {
  const { metadata } = await get<VirtualMachineInstance>('vmi', namespace, name)
  await eventually('one pod of the guest is left running', async () => {
    const pods = await list<Pod>('pod', namespace, `kubevirt.io/created-by=${metadata.uid}`)
    const running = pods.filter(({ status }) => status?.phase === 'Running')
    ensure(running.length === 1, pods.map(({ status }) => status?.phase).join(', '))
  })
}
