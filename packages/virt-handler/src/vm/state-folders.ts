import type { VirtualMachineInstance } from '@kubevirt-ts/api'

// In the launcher's image /var/run is a link to /run, and no link is followed.
const privateDir = '/run/kubevirt-private'
const tpmFolders = [`${privateDir}/libvirt/qemu/swtpm`, `${privateDir}/var/lib/swtpm-localca`]
const firmwareFolder = `${privateDir}/libvirt/qemu/nvram`

/**
 * Folders of the claim that keeps what the guest's TPM and firmware remember, as the launcher's container has them. The
 * kubelet makes them for root, who may run the guest, too.
 */
export function stateFolders({ spec, status }: VirtualMachineInstance): string[] {
  if (status?.runtimeUser === 0) return []
  const { devices, firmware } = spec.domain
  const keepsTpm = devices.tpm?.persistent === true && devices.tpm.enabled !== false
  return [...(keepsTpm ? tpmFolders : []), ...(firmware?.bootloader?.efi?.persistent === true ? [firmwareFolder] : [])]
}
