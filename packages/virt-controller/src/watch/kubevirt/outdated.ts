import type { VirtualMachineInstance } from '@kubevirt-ts/api'

/** Whether a guest runs in a launcher of another image than the product has now. */
export function isOutdated({ status }: VirtualMachineInstance, launcherImage: string): boolean {
  const image = status?.launcherContainerImageVersion
  return status?.phase === 'Running' && image !== undefined && image !== launcherImage
}

/** Whether a change may make it outdated, or no longer so. A guest that moves gets another launcher in the same phase. */
export function mayCountOtherwise(
  { status: before }: VirtualMachineInstance,
  { status: after }: VirtualMachineInstance,
): boolean {
  return (
    before?.phase !== after?.phase || before?.launcherContainerImageVersion !== after?.launcherContainerImageVersion
  )
}
