import { invalid, notSupported, oneOf, when } from '../cause.ts'
import type { Rule } from '../rule.ts'

const inputBuses = ['virtio', 'usb']

export const inputs: Rule = ({ spec, field }) =>
  (spec.domain.devices.inputs ?? []).flatMap(({ bus, type }, index) => {
    const path = `${field}.domain.devices.inputs[${index}]`
    return [
      ...when(Boolean(bus) && !inputBuses.includes(bus!), () =>
        invalid(`${path}.bus`, 'Input device can have only virtio or usb bus.'),
      ),
      ...when(type !== 'tablet', () => invalid(`${path}.type`, 'Input device can have only tablet type.')),
    ]
  })

const videoTypes: Readonly<Record<string, readonly string[]>> = {
  amd64: ['vga', 'cirrus', 'virtio', 'ramfb', 'bochs'],
  arm64: ['virtio', 'ramfb'],
  s390x: ['virtio'],
}

export const video: Rule = ({ spec, field }) => {
  const { video: given, autoattachGraphicsDevice } = spec.domain.devices
  if (!given) return []
  const types = videoTypes[spec.architecture ?? 'amd64'] ?? videoTypes['amd64']!
  return [
    ...when(autoattachGraphicsDevice === false, () =>
      invalid(`${field}.video`, 'Video device cannot be configured when autoattachGraphicsDevice is set to false'),
    ),
    ...when(Boolean(given.type) && !types.includes(given.type!), () =>
      notSupported(
        `${field}.domain.devices.video.type`,
        `video model '${given.type}' is not supported on architecture ${spec.architecture}; ${oneOf(types)}`,
      ),
    ),
  ]
}

const panicModels = ['hyperv', 'isa', 'pvpanic']

export const panicDevices: Rule = ({ spec, field }) => {
  const given = spec.domain.devices.panicDevices ?? []
  if (spec.architecture === 's390x') {
    return when(given.length > 0, () =>
      invalid(
        `${field}.domain.devices.panicDevices`,
        'custom panic devices are not supported on s390x architecture; remove them',
      ),
    )
  }
  return given.flatMap(({ model }, index) =>
    when(model !== undefined && !panicModels.includes(model), () =>
      invalid(
        `${field}.domain.devices.panicDevices[${index}].model`,
        `panic device model ${model} is not supported; ${oneOf(panicModels)}`,
      ),
    ),
  )
}

const soundModels = ['', 'ich9', 'ac97']

export const sound: Rule = ({ spec, field }) => {
  const given = spec.domain.devices.sound
  if (!given) return []
  return [
    ...when(!soundModels.includes(given.model ?? ''), () =>
      invalid(`${field}.Sound`, `Sound device type is not supported: ${given.model}; use ich9 or ac97`),
    ),
    ...when(!given.name, () => invalid(`${field}.Sound`, 'Sound device requires a name')),
  ]
}

export const vsock: Rule = ({ spec, field, settings }) =>
  when(Boolean(spec.domain.devices.autoattachVSOCK) && !settings.isEnabled('VSOCK'), () =>
    invalid(
      `${field}.domain.devices.autoattachVSOCK`,
      `${field}.domain.devices.autoattachVSOCK: the feature gate VSOCK is not enabled in the KubeVirt resource`,
    ),
  )

export const hostDevices: Rule = ({ spec, field, settings }) => {
  const given = spec.domain.devices.hostDevices ?? []
  const plain = given.some((device) => device.deviceName)
  const claimed = given.some((device) => device.claimName)
  return [
    ...when(plain && !settings.isEnabled('HostDevices'), () =>
      invalid(`${field}.HostDevices`, 'Host Devices feature gate is not enabled in kubevirt-config'),
    ),
    ...when(claimed && !settings.isEnabled('HostDevicesWithDRA'), () =>
      invalid(
        `${field}.domain.devices.hostDevices`,
        'the feature gate HostDevicesWithDRA is not enabled in the KubeVirt resource',
      ),
    ),
  ]
}

export const gpus: Rule = ({ spec, field, settings }) =>
  when((spec.domain.devices.gpus ?? []).some(({ claimName }) => claimName) && !settings.isEnabled('GPUsWithDRA'), () =>
    invalid(`${field}.domain.devices.gpus`, 'the feature gate GPUsWithDRA is not enabled in the KubeVirt resource'),
  )

/** The firmware can show its picture on one display only. */
export const gpuDisplays: Rule = ({ spec, field }) => {
  const firmwareDisplays = (spec.domain.devices.gpus ?? []).filter(({ virtualGPUOptions }) => {
    const display = virtualGPUOptions?.display
    return display !== undefined && display.enabled !== false && display.ramFB?.enabled !== false
  })
  return when(firmwareDisplays.length > 1, () =>
    invalid(`${field}.GPUs`, 'configuring multiple displays with ramfb is not valid; set ramFB.enabled to false'),
  )
}

/** Devices that are claimed must be claimed by the VMI. */
export const resourceClaims: Rule = ({ spec, field }) => {
  const claims = new Set((spec.resourceClaims ?? []).map(({ name }) => name))
  const { gpus: graphics = [], hostDevices: others = [] } = spec.domain.devices
  const missing = [...graphics, ...others].filter(({ claimName }) => claimName && !claims.has(claimName))
  return when(missing.length > 0, () =>
    invalid(
      `${field}.resourceClaims`,
      `${field}.resourceClaims must specify all claims used in ${field}.domain.devices; add ${missing.map(({ claimName }) => claimName).join(', ')}`,
    ),
  )
}

/** A lasting reservation on a shared disk is made by a helper that must run on the nodes. */
export const persistentReservation: Rule = ({ spec, field, settings }) =>
  (spec.domain.devices.disks ?? []).flatMap(({ lun }, index) =>
    when(Boolean(lun?.reservation) && !settings.isEnabled('PersistentReservation'), () =>
      invalid(
        `${field}.domain.devices.disks[${index}].lun.reservation`,
        'the feature gate PersistentReservation is not enabled in the KubeVirt resource',
      ),
    ),
  )
