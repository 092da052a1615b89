import { expect, test } from '@jest/globals'
import { vmi, withDevices } from '@kubevirt-ts/libvmi'
import { hostDeviceAddresses } from './host-device-addresses.ts'

test('addresses are read from the variables of the resources that the guest names', () => {
  const guest = vmi(
    withDevices({
      gpus: [{ name: 'a', deviceName: 'nvidia.com/GRID_T4-1Q' }],
      hostDevices: [
        { name: 'b', deviceName: 'intel.com/qat' },
        { name: 'c', deviceName: 'intel.com/qat' },
        { name: 'd', deviceName: 'example.org/usb-stick' },
      ],
    }),
  )
  const env = {
    'MDEV_PCI_RESOURCE_NVIDIA_COM_GRID_T4-1Q': '5ac3cb31-1e0e-4ee1-b7d3-4d3a4a6a1f00',
    PCI_RESOURCE_INTEL_COM_QAT: '0000:81:00.0,0000:82:00.0,',
    'USB_RESOURCE_EXAMPLE_ORG_USB-STICK': '1:5',
    PCI_RESOURCE_OTHER: '0000:01:00.0',
  }
  expect(hostDeviceAddresses(guest, env)).toEqual({
    pci: { 'intel.com/qat': ['0000:81:00.0', '0000:82:00.0'] },
    mdev: { 'nvidia.com/GRID_T4-1Q': ['5ac3cb31-1e0e-4ee1-b7d3-4d3a4a6a1f00'] },
    usb: { 'example.org/usb-stick': ['1:5'] },
    usbController: true,
    sriov: {},
  })
})
