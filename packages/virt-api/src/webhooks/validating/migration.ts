import { isDeepStrictEqual } from 'node:util'
import { label, virtualMachineInstanceMigrations, virtualMachineInstances } from '@kubevirt-ts/api'
import type {
  AdmissionRequest,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
  VirtualMachineInstanceMigrationSpec,
} from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli/api-error'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Admission, AdmissionContext, Admitter } from '../admitter.ts'
import type { Settings } from '../settings.ts'
import { invalid, notSupported, required, when } from './cause.ts'
import type { Cause } from './cause.ts'

const isFinal = (phase: string | undefined) => phase === 'Succeeded' || phase === 'Failed'

/** A migration is of a guest that exists, may move, and is not on its way already. */
export const createMigration: Admitter = async (request, context) => {
  const { client } = context
  const migration = request.object as VirtualMachineInstanceMigration
  const name = migration.spec?.vmiName
  if (!name) return { causes: [required('spec.vmiName', 'vmiName is missing')] }
  const causes = migrationCauses(migration.spec, context.settings, isController(request, context))
  if (causes.length > 0) return { causes }
  const namespace = migration.metadata.namespace ?? request.namespace ?? ''
  const vmi = await findVmi(client, namespace, name)
  if (!vmi) return refused(`the VMI "${namespace}/${name}" does not exist`)
  if (isFinal(vmi.status?.phase)) return refused('Cannot migrate VMI in finalized state.')
  const blocked = vmi.status?.conditions?.find((each) => each.type === 'LiveMigratable' && each.status === 'False')
  // Between clusters the disks are copied along.
  const copied = isDecentralised(migration.spec) && blocked?.reason === 'DisksNotLiveMigratable'
  if (blocked && !copied) return refused(`Cannot migrate VMI, Reason: ${blocked.reason}, Message: ${blocked.message}`)
  const { items } = await client.list(virtualMachineInstanceMigrations, { namespace })
  const active = items.find((each) => each.spec?.vmiName === name && !isFinal(each.status?.phase))
  if (!active) return {}
  return refused(
    `in-flight migration detected. Active migration job (${active.metadata.uid}) is currently already in progress for VMI ${name}.`,
  )
}

const isController = ({ userInfo }: AdmissionRequest, { namespace }: AdmissionContext) =>
  userInfo.username === `system:serviceaccount:${namespace}:kubevirt-controller`

const isDecentralised = ({ sendTo, receive }: VirtualMachineInstanceMigrationSpec) =>
  sendTo !== undefined || receive !== undefined

/** What is wrong with what is asked for, whatever the guest. */
export function migrationCauses(
  spec: VirtualMachineInstanceMigrationSpec,
  settings: Settings,
  byController: boolean,
): Cause[] {
  const { priority, sendTo, receive } = spec
  return [
    ...when(Boolean(priority) && !byController, () =>
      invalid(
        'spec.migrationPriority',
        'the priority of a migration is set by virt-controller only; remove spec.priority',
      ),
    ),
    ...when(isDecentralised(spec) && !settings.isEnabled('DecentralizedLiveMigration'), () =>
      invalid('spec', 'sendTo and receive need the feature gate DecentralizedLiveMigration, which is not enabled'),
    ),
    ...when(sendTo !== undefined && receive !== undefined && sendTo.migrationID !== receive.migrationID, () =>
      invalid('spec.sendTo.migrationID', 'sendTo and receive must have the same migrationID'),
    ),
  ]
}

const refused = (message: string): Admission => ({ denied: { code: 400, message } })

async function findVmi(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<VirtualMachineInstance | undefined> {
  try {
    return await client.get(virtualMachineInstances, { namespace, name })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** A migration is what it was asked to be, and found by its guest's name until it is done. */
export const updateMigration: Admitter = ({ object, oldObject }) => {
  const next = object as VirtualMachineInstanceMigration
  const old = oldObject as VirtualMachineInstanceMigration
  const moved = next.metadata.labels?.[label.vmiName] !== old.metadata.labels?.[label.vmiName]
  const named = old.metadata.labels?.[label.vmiName] !== undefined
  return {
    causes: [
      ...when(!isDeepStrictEqual(next.spec, old.spec), () =>
        notSupported('', "update of Migration object's spec is restricted"),
      ),
      ...when(named && moved && !isFinal(old.status?.phase), () =>
        notSupported('metadata.labels', `the label ${label.vmiName} stays as it is until the migration is done`),
      ),
    ],
  }
}
