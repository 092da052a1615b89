import type { PersistentVolumeClaim, VirtualMachineInstance } from '@kubevirt-ts/api'
import { blocking, notice, when } from './fact.ts'
import type { Fact, Link } from './fact.ts'
import { change, conditionOf, kubectl, lastFailure, sinceOf } from './seen.ts'
import type { Seen } from './seen.ts'

type Look = (vmi: VirtualMachineInstance, seen: Seen) => Fact[]

const isFinal = ({ status }: VirtualMachineInstance) => status?.phase === 'Succeeded' || status?.phase === 'Failed'

const ended: Look = (vmi, seen) => {
  const { reason, phase, phaseTransitionTimestamps } = vmi.status ?? {}
  const told = lastFailure(vmi)
  const how = reason && told?.startsWith(`${reason}: `) ? `: ${told}` : reason ? ` (${reason})` : ''
  return when(phase === 'Failed', () =>
    blocking(reason || 'Failed', `the guest failed${how}`, {
      ...endOf(phaseTransitionTimestamps),
      fix: kubectl(seen, `get events --field-selector involvedObject.name=${vmi.metadata.name}`),
    }),
  )
}

const endOf = (steps: readonly { readonly phaseTransitionTimestamp?: string | null }[] | undefined) => {
  const since = steps?.at(-1)?.phaseTransitionTimestamp
  return since ? { since } : {}
}

const leaving: Look = ({ metadata, spec, status }, seen) =>
  when(metadata.deletionTimestamp && !['Succeeded', 'Failed'].includes(status?.phase ?? ''), () =>
    blocking('Terminating', `the guest is being shut down, for at most ${spec.terminationGracePeriodSeconds ?? 30} s`, {
      since: metadata.deletionTimestamp!,
      fix: `virtctl -n ${seen.namespace} console ${metadata.name}`,
    }),
  )

/** What cures a failed synchronisation, by its reason. */
const cures: Readonly<Record<string, (seen: Seen) => string>> = {
  FailedCreate: (seen) => kubectl(seen, 'get resourcequota,limitrange'),
  ErrImagePull: change,
  ImagePullBackOff: change,
  FailedDataVolumeImport: (seen) => kubectl(seen, 'describe datavolume'),
}

const outOfStep: Look = (vmi, seen) => {
  const condition = conditionOf(vmi, 'Synchronized')
  const reason = condition?.reason ?? 'NotSynchronized'
  const isOfClaim = ofClaims.includes(reason) && claims(vmi, seen).length > 0
  const isOfPod = seen.warnings.some(
    (warning) => warning.reason === reason && warning.involvedObject?.name === seen.pod?.metadata.name,
  )
  const isToldBelow = isOfClaim || isOfPod
  return when(condition?.status === 'False' && !isFinal(vmi) && !isToldBelow, () =>
    blocking(reason, condition!.message ?? reason, {
      ...sinceOf(condition),
      fix: cures[reason]?.(seen) ?? kubectl(seen, `describe vmi ${vmi.metadata.name}`),
    }),
  )
}

/** Reasons of virt-controller that are about a claim, which is looked at itself where the user may. */
const ofClaims = ['FailedPvcNotFound', 'PVCNotReady']

const claims: Look = (vmi, seen) => {
  const { lastTransitionTime: told } = conditionOf(vmi, 'Synchronized') ?? {}
  return [...seen.claims].flatMap(([name, claim]) => {
    if (isFinal(vmi) || seen.dataVolumes.has(name)) return []
    if (!claim) {
      return [
        blocking('FailedPvcNotFound', `the claim ${name} is not there; make it, or name one that is`, {
          ...(told && { since: told }),
          fix: `${kubectl(seen, 'get pvc')}; ${change(seen)}`,
        }),
      ]
    }
    const { phase } = claim.status ?? {}
    const waits = phase === 'Lost' || (phase === 'Pending' && vmi.status?.phase === 'Pending')
    return when(waits, () => unbound(name, claim, seen))
  })
}

function unbound(name: string, { metadata, status }: PersistentVolumeClaim, seen: Seen): Fact {
  const why = seen.warnings.find(
    ({ involvedObject }) => involvedObject?.kind === 'PersistentVolumeClaim' && involvedObject.name === name,
  )
  const since = metadata.creationTimestamp
  const isClassless = /storageclass\S* "[^"]*" not found/.test(why?.message ?? '')
  return blocking('PVCNotReady', `the claim ${name} is ${status!.phase}${why?.message ? `: ${why.message}` : ''}`, {
    ...(since && { since }),
    fix: isClassless ? 'kubectl get storageclass' : kubectl(seen, `describe pvc ${name}`),
  })
}

const volumes: Look = (vmi, seen) =>
  (vmi.status?.volumeStatus ?? []).flatMap(({ name, phase, reason, message }) =>
    when(phase && phase !== 'Ready' && message && !isFinal(vmi), () =>
      notice(reason || phase!, `volume ${name}: ${message}`, {
        fix: kubectl(seen, `describe vmi ${vmi.metadata.name}`),
      }),
    ),
  )

const dataVolumes: Look = (vmi, seen) => {
  const condition = conditionOf(vmi, 'DataVolumesReady')
  return when(condition?.status === 'False' && !isFinal(vmi), () =>
    blocking(condition!.reason ?? 'NotAllDVsReady', condition!.message ?? 'its DataVolumes are not filled yet', {
      ...sinceOf(condition),
      fix: kubectl(seen, 'get datavolumes'),
    }),
  )
}

const notReady: Look = (vmi, seen) => {
  const condition = conditionOf(vmi, 'Ready')
  // That it is paused, the domain tells.
  const isPaused = conditionOf(vmi, 'Paused')?.status === 'True'
  const tells = condition?.status === 'False' && vmi.status?.phase === 'Running' && !isPaused
  return when(tells, () =>
    blocking(
      condition!.reason ?? 'NotReady',
      condition!.message || readyWords[condition!.reason ?? ''] || 'it is not ready',
      {
        ...sinceOf(condition),
        fix: kubectl(seen, `describe pod ${seen.pod?.metadata.name ?? ''}`.trim()),
      },
    ),
  )
}

const readyWords: Readonly<Record<string, string>> = {
  GuestNotRunning: 'its guest does not run',
  PodTerminating: 'its pod is being ended',
  PodNotExists: 'its pod is gone',
  ReadinessGatesNotReady: 'its guest is paused',
  ContainersNotReady: 'a container of its pod, or the readiness probe, says that it is not ready',
}

const credentials: Look = (vmi, seen) => {
  const condition = conditionOf(vmi, 'AccessCredentialsSynchronized')
  return when(condition?.status === 'False', () =>
    notice('AccessCredentialsNotSynchronized', condition!.message ?? 'keys or passwords did not reach the guest', {
      ...sinceOf(condition),
      fix: kubectl(seen, `describe vmi ${vmi.metadata.name}`),
    }),
  )
}

const looks: readonly Look[] = [ended, leaving, outOfStep, dataVolumes, claims, notReady, volumes, credentials]

/** The instance, with a guess who is late when nothing tells why it stays where it is. */
export function vmiLink(seen: Seen): Link[] {
  const { vmi } = seen
  if (!vmi) return []
  return [
    {
      kind: 'VMI',
      name: vmi.metadata.name,
      state: vmi.status?.phase || 'Pending',
      ...endOf(vmi.status?.phaseTransitionTimestamps),
      facts: [...looks.flatMap((look) => look(vmi, seen)), ...stuck(vmi, seen)],
    },
  ]
}

const patienceMs = 60_000

const stuck: Look = (vmi, seen) => {
  const { phase } = vmi.status ?? {}
  const { since } = endOf(vmi.status?.phaseTransitionTimestamps) as { since?: string }
  const waits = seen.now.getTime() - Date.parse(since ?? seen.now.toISOString())
  if (waits < patienceMs || conditionOf(vmi, 'Synchronized')?.status === 'False') return []
  if (phase === 'Pending' && !seen.pod && !seen.hidden.includes('pods')) {
    return [
      blocking('NoPod', 'no pod was made for it: virt-controller is away or behind', {
        since: since!,
        fix: 'kubectl get pods -A -l kubevirt.io=virt-controller',
      }),
    ]
  }
  return when(phase === 'Scheduled', () =>
    blocking('NotTakenOver', 'its pod runs, but virt-handler has not started the guest', {
      since: since!,
      fix: `kubectl get pods -A -l kubevirt.io=virt-handler --field-selector spec.nodeName=${vmi.status?.nodeName}`,
    }),
  )
}
