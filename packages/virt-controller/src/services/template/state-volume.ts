import type { PersistentVolumeClaim, VirtualMachineInstanceSpec, VolumeMount } from '@kubevirt-ts/api'
import { VirtError } from '@kubevirt-ts/service/error'
import { addVolume } from './draft.ts'
import type { Draft } from './draft.ts'
import type { Launch } from './launch.ts'

const privateDir = '/var/run/kubevirt-private'

/** A claim that keeps what the guest's TPM and firmware remember from one start to the next. */
export function stateVolume(draft: Draft, { vmi, context, nonRoot }: Launch): void {
  const parts = keptParts(vmi.spec, nonRoot)
  if (parts.length === 0) return
  const claimName = context.stateClaim(vmi.metadata.name)?.metadata.name
  if (claimName === undefined) {
    const named = `${vmi.metadata.namespace}/${vmi.metadata.name}`
    throw new VirtError(
      'BackendStorageNotReady',
      `VMI ${named} keeps the state of its TPM or firmware, but no PVC has the label persistent-state-for=${vmi.metadata.name}`,
    )
  }
  const name = 'vm-state'
  addVolume(draft, { name, persistentVolumeClaim: { claimName } })
  draft.compute.volumeMounts.push(...(nonRoot ? parents(draft) : []), ...parts.map((part) => ({ name, ...part })))
}

/** The claim for the state of the guest of that name: the label counts; claims of older releases have the name alone. */
export function stateClaimOf(
  vmiName: string,
  claims: readonly PersistentVolumeClaim[],
): PersistentVolumeClaim | undefined {
  const living = claims.filter(({ metadata }) => !metadata.deletionTimestamp)
  const labelled = living.find(({ metadata }) => metadata.labels?.['persistent-state-for'] === vmiName)
  return labelled ?? living.find(({ metadata }) => metadata.name === `persistent-state-for-${vmiName}`)
}

/** Whether the guest has a state that outlives it. */
export function keepsState(spec: VirtualMachineInstanceSpec): boolean {
  return keptParts(spec, true).length > 0
}

type Part = Pick<VolumeMount, 'mountPath' | 'subPath'>

function keptParts({ domain }: VirtualMachineInstanceSpec, nonRoot: boolean): Part[] {
  const { tpm } = domain.devices
  const paths = nonRoot ? nonRootPaths : rootPaths
  const swtpm = [
    { mountPath: paths.swtpm, subPath: 'swtpm' },
    { mountPath: paths.localca, subPath: 'swtpm-localca' },
  ]
  const parts = [
    ...(tpm?.persistent && tpm.enabled !== false ? swtpm : []),
    ...(domain.firmware?.bootloader?.efi?.persistent ? [{ mountPath: paths.nvram, subPath: 'nvram' }] : []),
  ]
  return parts.length === 0
    ? []
    : [{ mountPath: '/run/kubevirt-private/backend-storage-meta', subPath: 'meta' }, ...parts]
}

const rootPaths = {
  swtpm: '/var/lib/libvirt/swtpm',
  localca: '/var/lib/swtpm-localca',
  nvram: '/var/lib/libvirt/qemu/nvram',
}

const nonRootPaths = {
  swtpm: `${privateDir}/libvirt/qemu/swtpm`,
  localca: `${privateDir}/var/lib/swtpm-localca`,
  nvram: `${privateDir}/libvirt/qemu/nvram`,
}

/** Folders above the mounts, which the kubelet would make for root alone. */
function parents(draft: Draft): VolumeMount[] {
  const folders = { 'private-libvirt': `${privateDir}/libvirt`, 'private-libvirt-qemu': `${privateDir}/libvirt/qemu` }
  return Object.entries(folders).map(([name, mountPath]) => {
    addVolume(draft, { name, emptyDir: {} })
    return { name, mountPath }
  })
}
