import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { type HostDeviceKind, hostDeviceVariable } from '@kubevirt-ts/vmispec'
import type { HostDeviceAddresses } from './converter/index.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Addresses that device plugins put into the pod's environment, for the resources that the guest names. */
export function hostDeviceAddresses(vmi: VirtualMachineInstance, env: Environment): HostDeviceAddresses {
  const { gpus = [], hostDevices = [] } = vmi.spec.domain.devices
  const resources = new Set([...gpus, ...hostDevices].flatMap(({ deviceName }) => deviceName ?? []))
  const from = (kind: HostDeviceKind): Record<string, string[]> =>
    Object.fromEntries(
      [...resources].flatMap((resource) => {
        const value = env[hostDeviceVariable(kind, resource)]
        return value ? [[resource, value.split(',').filter(Boolean)] as const] : []
      }),
    )
  const usb = from('USB_RESOURCE')
  const usbController = Object.keys(usb).length > 0
  return { pci: from('PCI_RESOURCE'), mdev: from('MDEV_PCI_RESOURCE'), usb, usbController, sriov: {} }
}
