import { dataVolumes, persistentVolumeClaims, subjectAccessReviews, virtualMachines } from '@kubevirt-ts/api'
import type { DataVolume, SubjectAccessReview } from '@kubevirt-ts/api'
import { keyOf, ownerReferenceTo } from '@kubevirt-ts/controller'
import { isAlreadyExists, isInvalid, isNotFound } from '@kubevirt-ts/kubecli'
import { VirtError } from '@kubevirt-ts/service'
import type { Deps } from '../deps.ts'
import { reason } from '../reasons.ts'
import type { Problem } from '../reasons.ts'
import type { Seen } from '../seen.ts'
import { dataVolumePlan } from './plan.ts'

/** Makes the DataVolumes of the VM's templates; nothing is thrown. */
export async function ensureDataVolumes(seen: Seen, startWanted: boolean, deps: Deps): Promise<Problem | undefined> {
  const { create, adopt } = dataVolumePlan(seen, startWanted)
  let wanted: DataVolume | undefined
  try {
    for (wanted of adopt) await takeIn(wanted, seen, deps)
    for (wanted of create) await make(wanted, seen, deps)
    return undefined
  } catch (error) {
    return problemOf(error, wanted?.metadata.name ?? '', seen, deps)
  }
}

const expectationKey = (seen: Seen): string => `${keyOf(seen.vm)}/data-volumes`

async function make(volume: DataVolume, seen: Seen, deps: Deps): Promise<void> {
  await assertMayClone(volume, seen, deps)
  deps.expectations.expectCreations(expectationKey(seen), 1)
  try {
    await deps.client.create(dataVolumes, volume)
    deps.events.event(seen.vm, 'Normal', reason.dataVolumeCreated, `Created DataVolume ${volume.metadata.name}`)
  } catch (error) {
    deps.expectations.creationObserved(expectationKey(seen))
    if (!isAlreadyExists(error)) throw error
  }
}

async function takeIn({ metadata }: DataVolume, { vm }: Seen, { client }: Deps): Promise<void> {
  const patch = [
    { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    {
      op: 'add',
      path: '/metadata/ownerReferences',
      value: [...(metadata.ownerReferences ?? []), ownerReferenceTo(vm, virtualMachines)],
    },
  ]
  await client.patch(dataVolumes, { namespace: metadata.namespace, name: metadata.name }, patch, { type: 'json' })
}

/** A claim of another namespace may only be copied by a service account that may read it there. */
async function assertMayClone({ metadata, spec }: DataVolume, { vm }: Seen, { client }: Deps): Promise<void> {
  const source = spec.source?.pvc
  if (source === undefined) return
  const sourceNamespace = source.namespace || metadata.namespace || ''
  const found = await client
    .get(persistentVolumeClaims, { namespace: sourceNamespace, name: source.name })
    .catch((error: unknown) => {
      if (isNotFound(error)) return undefined
      throw error
    })
  if (found === undefined) {
    const message = `Source PVC ${sourceNamespace}/${source.name} of DataVolume ${metadata.name} does not exist`
    throw new VirtError(reason.sourceClaimMissing, message)
  }
  if (sourceNamespace === metadata.namespace) return
  const account = vm.spec.template.spec?.volumes?.find(({ serviceAccount }) => serviceAccount)?.serviceAccount
  const user = `system:serviceaccount:${metadata.namespace}:${account?.serviceAccountName ?? 'default'}`
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: { name: '' },
    spec: {
      user,
      resourceAttributes: {
        namespace: sourceNamespace,
        verb: 'create',
        group: 'cdi.kubevirt.io',
        resource: 'datavolumes',
        subresource: 'source',
        name: source.name,
      },
    },
  } as SubjectAccessReview
  const { status } = await client.create(subjectAccessReviews, review)
  if (status?.allowed === true) return
  const message = `${user} may not copy PVC ${sourceNamespace}/${source.name}: it needs create on datavolumes/source of cdi.kubevirt.io there`
  throw new VirtError(reason.cloneUnauthorized, message)
}

/** Where the cluster has no DataVolumes nothing helps but to install their operator or to do without them. */
const lookAgainMs = 30_000

function problemOf(error: unknown, name: string, { vm }: Seen, { events }: Deps): Problem {
  const text = error instanceof Error ? error.message : String(error)
  const known = error instanceof VirtError ? error.reason : undefined
  const hint = isNotFound(error)
    ? '; the cluster has no DataVolumes (cdi.kubevirt.io), install the Containerized Data Importer or use a claim'
    : ''
  const message = known === undefined ? `DataVolume ${name} cannot be created: ${text}${hint}` : text
  const problem = { reason: known ?? reason.dataVolumeFailed, message }
  const shown = vm.status?.conditions?.find(({ type }) => type === 'Failure')
  if (shown?.message !== message) events.event(vm, 'Warning', problem.reason, message)
  const waits = known !== undefined || isNotFound(error)
  return waits ? { ...problem, retry: false, lookAgainMs } : { ...problem, retry: !isInvalid(error) }
}
