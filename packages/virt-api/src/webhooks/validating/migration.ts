import { isDeepStrictEqual } from 'node:util'
import { virtualMachineInstanceMigrations, virtualMachineInstances } from '@kubevirt-ts/api'
import type { VirtualMachineInstance, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli/api-error'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Admission, Admitter } from '../admitter.ts'
import { notSupported, required, when } from './cause.ts'

const isFinal = (phase: string | undefined) => phase === 'Succeeded' || phase === 'Failed'

/** A migration is of a guest that exists, may move, and is not on its way already. */
export const createMigration: Admitter = async (request, { client }) => {
  const migration = request.object as VirtualMachineInstanceMigration
  const name = migration.spec?.vmiName
  if (!name) return { causes: [required('spec.vmiName', 'vmiName is missing')] }
  const namespace = migration.metadata.namespace ?? request.namespace ?? ''
  const vmi = await findVmi(client, namespace, name)
  if (!vmi) return refused(`the VMI "${namespace}/${name}" does not exist`)
  if (isFinal(vmi.status?.phase)) return refused('Cannot migrate VMI in finalized state.')
  const blocked = vmi.status?.conditions?.find((each) => each.type === 'LiveMigratable' && each.status === 'False')
  if (blocked) return refused(`Cannot migrate VMI, Reason: ${blocked.reason}, Message: ${blocked.message}`)
  const { items } = await client.list(virtualMachineInstanceMigrations, { namespace })
  const active = items.find((each) => each.spec?.vmiName === name && !isFinal(each.status?.phase))
  if (!active) return {}
  return refused(
    `in-flight migration detected. Active migration job (${active.metadata.uid}) is currently already in progress for VMI ${name}.`,
  )
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

export const updateMigration: Admitter = ({ object, oldObject }) => {
  const next = object as VirtualMachineInstanceMigration
  const old = oldObject as VirtualMachineInstanceMigration
  return {
    causes: when(!isDeepStrictEqual(next.spec, old.spec), () =>
      notSupported('', "update of Migration object's spec is restricted"),
    ),
  }
}
