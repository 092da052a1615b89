import type { Devices, Interface, VirtualMachineInstanceSpec, VirtualMachinePreferenceSpec } from '@kubevirt-ts/api'
import { fill } from '../draft.ts'

type Wishes = NonNullable<VirtualMachinePreferenceSpec['devices']>

/** Devices other than disks. */
export function applyDevices(
  spec: VirtualMachineInstanceSpec,
  { devices: wishes }: VirtualMachinePreferenceSpec,
): void {
  if (wishes === undefined) return
  const { devices } = spec.domain
  fill(devices, {
    autoattachGraphicsDevice: wishes.preferredAutoattachGraphicsDevice,
    autoattachInputDevice: wishes.preferredAutoattachInputDevice,
    autoattachMemBalloon: wishes.preferredAutoattachMemBalloon,
    autoattachPodInterface: wishes.preferredAutoattachPodInterface,
    autoattachSerialConsole: wishes.preferredAutoattachSerialConsole,
    blockMultiQueue: wishes.preferredBlockMultiQueue,
    disableHotplug: wishes.preferredDisableHotplug,
    networkInterfaceMultiqueue: wishes.preferredNetworkInterfaceMultiQueue,
    rng: wishes.preferredRng,
    tpm: wishes.preferredTPM,
    useVirtioTransitional: wishes.preferredUseVirtioTransitional,
  })
  applyInputs(devices, wishes)
  applyModels(devices, wishes)
  for (const each of devices.interfaces ?? []) applyInterface(each, spec, wishes)
}

function applyInputs(devices: Devices, wishes: Wishes): void {
  const { preferredInputBus: bus, preferredInputType: type } = wishes
  const wished = bus !== undefined || type !== undefined
  if (wished && devices.autoattachInputDevice === true && (devices.inputs ?? []).length === 0) {
    devices.inputs = [{ name: 'default-0', type: type ?? 'tablet', bus: bus ?? 'usb' }]
  }
  for (const input of devices.inputs ?? []) {
    fill(input, { ...(bus === undefined ? {} : { bus }), ...(type === undefined ? {} : { type }) })
  }
}

function applyModels(devices: Devices, wishes: Wishes): void {
  if (devices.sound !== undefined) fill(devices.sound, { model: wishes.preferredSoundModel })
  if (wishes.preferredVideoType !== undefined) {
    const video = { ...devices.video }
    fill(video, { type: wishes.preferredVideoType })
    devices.video = video
  }
  for (const panic of devices.panicDevices ?? []) fill(panic, { model: wishes.preferredPanicDeviceModel })
  for (const gpu of devices.gpus ?? []) fill(gpu, { virtualGPUOptions: wishes.preferredVirtualGPUOptions })
}

const bindings = ['bridge', 'masquerade', 'sriov', 'passtBinding', 'binding', 'macvtap', 'passt', 'slirp'] as const

/** The binding is only wished for the pod network. */
function applyInterface(each: Interface, { networks = [] }: VirtualMachineInstanceSpec, wishes: Wishes): void {
  fill(each, { model: wishes.preferredInterfaceModel })
  const onPodNetwork = networks.some(({ name, pod }) => name === each.name && pod !== undefined)
  if (!onPodNetwork || bindings.some((binding) => each[binding] !== undefined)) return
  fill(each, { masquerade: wishes.preferredInterfaceMasquerade })
}
