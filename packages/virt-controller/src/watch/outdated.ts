import type { VirtualMachineInstance } from '@kubevirt-ts/api'

/** Whether a guest's launcher is of another image than the product has now. */
export function hasOldLauncher({ status }: VirtualMachineInstance, launcherImage: string): boolean {
  const image = status?.launcherContainerImageVersion
  return image !== undefined && image !== launcherImage
}

/** Whether it counts as outdated: it runs in such a launcher. */
export const isOutdated = (vmi: VirtualMachineInstance, launcherImage: string): boolean =>
  vmi.status?.phase === 'Running' && hasOldLauncher(vmi, launcherImage)

/** Whether a change may make it outdated, or no longer so. A guest that moves gets another launcher in the same phase. */
export function mayCountOtherwise(
  { status: before }: VirtualMachineInstance,
  { status: after }: VirtualMachineInstance,
): boolean {
  return (
    before?.phase !== after?.phase || before?.launcherContainerImageVersion !== after?.launcherContainerImageVersion
  )
}
