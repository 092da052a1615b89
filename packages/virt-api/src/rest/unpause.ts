import { virtualMachines } from '@kubevirt-ts/api'
import type { VirtualMachine } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { decodeOptions } from './body.ts'
import { canUnpause } from './checks.ts'
import type { RestParts, Target } from './parts.ts'
import { pass } from './pass-through.ts'
import { conflict, vmKind } from './subjects.ts'

/** Resumes a guest, unless a snapshot of its VM is being taken: that paused it, and resumes it. */
export async function unpause(parts: RestParts, target: Target, body: object): Promise<void> {
  const options = decodeOptions('UnpauseOptions', body)
  await pass(
    parts,
    target,
    'unpause',
    async (vmi) => {
      const vm = await findVm(parts.client, target)
      if (vm?.status?.snapshotInProgress) throw conflict(vmKind, target.name, 'VM snapshot is in progress')
      canUnpause(vmi)
    },
    options,
  )
}

async function findVm(client: KubeClient, target: Target): Promise<VirtualMachine | undefined> {
  try {
    return await client.get(virtualMachines, target)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
