import type { VirtualMachine } from '@kubevirt-ts/api'
import { blocking, notice, when } from './fact.ts'
import type { Fact, Link } from './fact.ts'
import { conditionOf, kubectl, lastFailure, sinceOf, virtctl } from './seen.ts'
import type { Seen } from './seen.ts'

type Look = (vm: VirtualMachine, seen: Seen) => Fact[]

const strategyOf = ({ spec }: VirtualMachine) => spec.runStrategy ?? (spec.running ? 'Always' : 'Halted')

/** Where the finished guest of such a machine stays down, with why. */
const staysDown: Readonly<Record<string, string>> = {
  Manual: 'the guest ended, and a Manual machine is started by hand',
  RerunOnFailure: 'the guest shut itself down, and RerunOnFailure starts only guests that failed',
  Once: 'the guest has run once, and Once never runs it again',
}

const leaving: Look = ({ metadata }, seen) =>
  when(metadata.deletionTimestamp, () =>
    blocking(
      'Terminating',
      `it is being deleted and waits for ${metadata.finalizers?.join(', ') || 'its last parts'}`,
      {
        since: metadata.deletionTimestamp!,
        fix: kubectl(seen, `get vmi,pod -l vmi.kubevirt.io/id=${seen.name}`),
      },
    ),
  )

const toldToBeOff: Look = (vm, seen) => {
  const strategy = strategyOf(vm)
  const start = { fix: virtctl(seen, `start ${seen.name}`) }
  const waiting = (vm.status?.stateChangeRequests ?? []).length > 0
  const phase = seen.vmi?.status?.phase
  if (strategy === 'Halted') {
    return when(true, () => blocking('Halted', 'it is told to be off (runStrategy: Halted)', start))
  }
  if (phase === 'Succeeded' || (phase === 'Failed' && strategy !== 'Always')) {
    const why = staysDown[strategy]
    if (!why || (strategy === 'RerunOnFailure' && phase === 'Failed')) return []
    const fix =
      strategy === 'Once'
        ? kubectl(seen, `patch vm ${seen.name} --type merge -p '{"spec":{"runStrategy":"Always"}}'`)
        : start.fix
    return [blocking('Finished', why, { fix })]
  }
  const neverStarted = !seen.vmi && strategy === 'Manual' && !waiting
  return when(neverStarted, () => blocking('NotStarted', 'nobody has started it (runStrategy: Manual)', start))
}

const failure: Look = (vm, seen) => {
  const condition = conditionOf(vm, 'Failure')
  return when(condition?.status === 'True', () =>
    blocking(condition!.reason ?? 'Failure', condition!.message ?? 'virt-controller could not do what it is told', {
      ...sinceOf(condition),
      fix: kubectl(seen, `edit vm ${seen.name}`),
    }),
  )
}

const backOff: Look = (vm, seen) => {
  const { consecutiveFailCount: count = 0, retryAfterTimestamp: retry } = vm.status?.startFailure ?? {}
  const next = retry && !seen.vmi ? `; the next try is at ${retry}` : ''
  const told = seen.vmi ? undefined : lastFailure(vm)
  // The guest of the next try tells itself what it waits for.
  const weigh = seen.vmi ? notice : blocking
  return when(count > 0, () =>
    weigh(
      'CrashLoopBackOff',
      `its guest ended ${count === 1 ? 'once' : `${count} times in a row`} before it ran${next}${told ? `; last told: ${told}` : ''}`,
      {
        fix: kubectl(seen, `get events --field-selector involvedObject.name=${seen.name}`),
      },
    ),
  )
}

const recovery: Look = (vm, seen) => {
  const condition = conditionOf(vm, 'ManualRecoveryRequired')
  return when(condition?.status === 'True', () =>
    blocking('ManualRecoveryRequired', condition!.message ?? 'a move of its volumes failed half way', {
      ...sinceOf(condition),
      fix: kubectl(seen, `edit vm ${seen.name}`),
    }),
  )
}

const restartRequired: Look = (vm, seen) => {
  const condition = conditionOf(vm, 'RestartRequired')
  return when(condition?.status === 'True', () =>
    notice('RestartRequired', condition!.message ?? 'a change waits for the next start', {
      ...sinceOf(condition),
      fix: virtctl(seen, `restart ${seen.name}`),
    }),
  )
}

const imports: Look = (_vm, seen) =>
  [...seen.dataVolumes].flatMap(([name, { status, metadata }]) => {
    const phase = status?.phase ?? 'Pending'
    if (['Succeeded', 'WaitForFirstConsumer', 'PendingPopulation'].includes(phase)) return []
    const what =
      phase === 'Failed' ? `its DataVolume ${name} failed` : `its DataVolume ${name} is not filled yet (${phase})`
    return [
      blocking(phase === 'Failed' ? 'DataVolumeError' : 'Provisioning', what, {
        ...(metadata.creationTimestamp && { since: metadata.creationTimestamp }),
        fix: kubectl(seen, `describe datavolume ${name}`),
      }),
    ]
  })

const requests: Look = ({ status }) =>
  when((status?.stateChangeRequests ?? []).length > 0, () =>
    notice(
      'RequestWaiting',
      `asked for and not done yet: ${status!.stateChangeRequests!.map(({ action }) => action).join(', ')}`,
    ),
  )

/** Told to run, and nothing has happened: whoever should make the guest does not work, or has not come to it yet. */
const unseen: Look = (vm, seen) => {
  const isOn = !['Halted', 'Manual'].includes(strategyOf(vm))
  const silent = !seen.vmi && isOn && !vm.status?.startFailure && conditionOf(vm, 'Failure')?.status !== 'True'
  return when(silent && !vm.metadata.deletionTimestamp && imports(vm, seen).length === 0, () =>
    blocking('NoInstance', 'it is told to run, but no instance was made: virt-controller is away or behind', {
      ...(vm.metadata.creationTimestamp && !vm.status?.created && { since: vm.metadata.creationTimestamp }),
      fix: 'kubectl get pods -A -l kubevirt.io=virt-controller',
    }),
  )
}

const looks: readonly Look[] = [
  leaving,
  toldToBeOff,
  recovery,
  failure,
  backOff,
  imports,
  unseen,
  restartRequired,
  requests,
]

export function vmLink(seen: Seen): Link[] {
  const { vm } = seen
  if (!vm) return []
  return [
    {
      kind: 'VM',
      name: vm.metadata.name,
      state: vm.status?.printableStatus ?? 'not seen by virt-controller yet',
      ...(vm.metadata.creationTimestamp && { since: vm.metadata.creationTimestamp }),
      facts: looks.flatMap((look) => look(vm, seen)),
    },
  ]
}
