import { label } from '@kubevirt-ts/api'
import type { PersistentVolumeClaim, StorageClass } from '@kubevirt-ts/api'
import { controllerOf } from '@kubevirt-ts/controller'
import { createHash } from 'node:crypto'
import { keepsState } from '../../services/template/index.ts'
import { claimState } from '../storage/claim-state.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import type { Seen } from './seen.ts'

/** What is to be done for a guest whose TPM or firmware remembers something. */
export type StateAction = { readonly create: PersistentVolumeClaim } | { readonly problem: Problem } | 'ready'

/** The name under which index `byStateOf` finds a claim: `namespace/guest`. */
export function stateOf({ metadata }: PersistentVolumeClaim): readonly string[] {
  const guest = metadata.labels?.[label.persistentStateFor]
  return guest === undefined ? [] : [`${metadata.namespace ?? ''}/${guest}`]
}

export function stateAction(seen: Seen): StateAction {
  if (!keepsState(seen.vmi.spec)) return 'ready'
  const claim = seen.stateClaim()
  if (claim === undefined) return { create: newClaim(seen) }
  const { namespace, name } = claim.metadata
  const state = claimState(name, seen)
  if (state === 'ready' || state === 'firstConsumer') return 'ready'
  const message = `PVC ${namespace}/${name}, which keeps the state of the guest's TPM or firmware, is ${state}`
  return { problem: { reason: reason.backendStorageNotReady, message, retry: false } }
}

/** What a TPM and a firmware's variables need at most. */
const size = '10Mi'

/** Owned by the VM, so that the state outlives each of its guests; by the guest where there is no VM. */
function newClaim({ vmi, configuration, storageClasses }: Seen): PersistentVolumeClaim {
  const { namespace, name, uid } = vmi.metadata
  const owner = controllerOf(vmi) ?? {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    name,
    uid: uid ?? '',
  }
  const suffix = createHash('sha256').update(owner.uid).digest('hex').slice(0, 5)
  const storageClassName = configuration.vmStateStorageClass || defaultClass(storageClasses())
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `${label.persistentStateFor}-${name}-${suffix}`,
      namespace,
      labels: { [label.persistentStateFor]: name },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: size } },
      volumeMode: 'Filesystem',
      ...(storageClassName === undefined ? {} : { storageClassName }),
    },
  }
}

const defaults = ['storageclass.kubevirt.io/is-default-virt-class', 'storageclass.kubernetes.io/is-default-class']

/** The class that is meant for guests, else the cluster's. */
function defaultClass(classes: readonly StorageClass[]): string | undefined {
  const marked = defaults.flatMap((key) => classes.filter(({ metadata }) => metadata.annotations?.[key] === 'true'))
  return marked[0]?.metadata.name
}
