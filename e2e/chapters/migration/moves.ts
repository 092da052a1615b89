import type { Pod, VirtualMachineInstance, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { ensure, eventually } from '../../framework/eventually.ts'
import { apply, getVmi, kubectl, list } from '../../framework/kubectl.ts'
import { patchKubeVirt } from '../../framework/product.ts'
import { TickLog } from '../../framework/ticks.ts'
import { Console, virtctl } from '../../framework/virtctl.ts'

export const finished: readonly string[] = ['Succeeded', 'Failed']

export const migrations = (namespace: string): Promise<VirtualMachineInstanceMigration[]> =>
  list<VirtualMachineInstanceMigration>('vmim', namespace)

/** Waits for a migration of the namespace. */
export function migrationWhere(
  namespace: string,
  wanted: (migration: VirtualMachineInstanceMigration) => boolean,
  timeoutMs = 120_000,
): Promise<VirtualMachineInstanceMigration> {
  return eventually(
    'a migration is as far as that',
    async () => {
      const all = await migrations(namespace)
      const found = all.find(wanted)
      ensure(found, JSON.stringify(all.map(({ status }) => status?.phase)))
      return found
    },
    timeoutMs,
  )
}

/** Asks for a move and answers it as it was asked for. */
export async function askToMove(namespace: string, name: string): Promise<VirtualMachineInstanceMigration> {
  const before = new Set((await migrations(namespace)).map(({ metadata }) => metadata.uid))
  await virtctl('migrate', name, '-n', namespace)
  return migrationWhere(namespace, ({ metadata }) => !before.has(metadata.uid))
}

/** Waits until the nodes are done with a move, and answers what they say of it. */
export function moveEnded(namespace: string, name: string, uid: string | undefined, timeoutMs?: number) {
  return eventually(
    'the move has ended',
    async () => {
      const state = (await getVmi(namespace, name)).status?.migrationState
      ensure(state?.migrationUid === uid && state?.completed === true, JSON.stringify(state))
      return state
    },
    timeoutMs,
  )
}

/** By which ways guests get what their VMs were changed to; none is the product's default. */
export async function updateWorkloadsBy(workloadUpdateMethods: readonly string[]): Promise<void> {
  await patchKubeVirt({ workloadUpdateStrategy: { workloadUpdateMethods } })
}

/** How a guest is to move; answers how to take that back. */
export async function policyFor(name: string, spec: object): Promise<AsyncDisposable> {
  const policy = `for-${name}`
  await apply({
    apiVersion: 'migrations.kubevirt.io/v1alpha1',
    kind: 'MigrationPolicy',
    metadata: { name: policy },
    spec: { ...spec, selectors: { virtualMachineInstanceSelector: { 'kubevirt.io/vm': name } } },
  })
  return {
    [Symbol.asyncDispose]: async () => void (await kubectl('delete', 'migrationpolicy', policy, '--ignore-not-found')),
  }
}

/** Launchers of a guest that have not ended, by creation. */
export async function launchers({ metadata }: VirtualMachineInstance): Promise<Pod[]> {
  const pods = await list<Pod>('pod', metadata.namespace ?? '', `kubevirt.io/created-by=${metadata.uid}`)
  return pods.filter(({ status }) => status?.phase === 'Running')
}

/** The launcher in which the guest lives. */
export async function homeOf(namespace: string, name: string): Promise<Pod> {
  const vmi = await getVmi(namespace, name)
  const home = (await launchers(vmi)).find(({ spec }) => spec.nodeName === vmi.status?.nodeName)
  ensure(home, `${name} has no launcher on ${vmi.status?.nodeName}`)
  return home
}

/** Waits until a guest counts aloud. */
export async function counts(namespace: string, name: string): Promise<void> {
  using ticks = new TickLog()
  const home = await homeOf(namespace, name)
  ticks.follow(home)
  await eventually('the guest counts', async () => ensure(ticks.of(home).length > 0, 'nothing was heard'))
}

/** The other pods of the guest have ended by themselves. */
export async function oneRunningPod(namespace: string, name: string): Promise<void> {
  const vmi = await getVmi(namespace, name)
  await eventually('one pod of the guest is left running', async () => {
    const running = await launchers(vmi)
    ensure(running.length === 1, `${running.length} run`)
  })
}

/** With a root shell on the guest's console. */
export async function inGuest<T>(namespace: string, name: string, use: (console: Console) => Promise<T>): Promise<T> {
  await using console = new Console(namespace, name)
  await console.logIn('root', 'kubevirt')
  return await use(console)
}
