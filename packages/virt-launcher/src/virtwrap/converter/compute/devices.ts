import { metricsChannel } from '../../downward-metrics/places.ts'
import type { Configurator } from '../configurator.ts'
import { needsIommu } from './launch-security.ts'

/** The channels of the guest agent and of the host's metrics. */
export const channels: Configurator = (domain, { vmi, context }) => {
  domain.devices.channel = [{ $type: 'unix', target: { $name: 'org.qemu.guest_agent.0', $type: 'virtio' } }]
  if (!vmi.spec.domain.devices.downwardMetrics) return
  domain.devices.channel.push({
    $type: 'unix',
    source: { $mode: 'bind', $path: metricsChannel(context.paths) },
    target: { $name: 'org.github.vhostmd.1', $type: 'virtio' },
  })
}

export const rng: Configurator = (domain, { vmi, arch }) => {
  const { rng: wanted, useVirtioTransitional } = vmi.spec.domain.devices
  if (!wanted) return
  const model = arch.virtioModel(Boolean(useVirtioTransitional))
  domain.devices.rng = [
    {
      $model: model,
      backend: { $model: 'random', _: '/dev/urandom' },
      driver: needsIommu(vmi) ? { $iommu: 'on' } : undefined,
    },
  ]
}

export const watchdog: Configurator = (domain, { vmi }) => {
  const wanted = vmi.spec.domain.devices.watchdog
  if (!wanted) return
  const model = wanted.diag288 ? 'diag288' : 'i6300esb'
  const action = (wanted.diag288 ?? wanted.i6300esb)?.action || 'reset'
  domain.devices.watchdog = [{ $model: model, $action: action, alias: { $name: `ua-${wanted.name}` } }]
}

export const tpm: Configurator = (domain, { vmi }) => {
  const wanted = vmi.spec.domain.devices.tpm
  if (!wanted || wanted.enabled === false) return
  const { persistent } = wanted
  domain.devices.tpm = [
    {
      $model: persistent ? 'tpm-crb' : 'tpm-tis',
      backend: { $type: 'emulator', $version: '2.0', $persistent_state: persistent ? 'yes' : undefined },
    },
  ]
}

export const sound: Configurator = (domain, { vmi }) => {
  const wanted = vmi.spec.domain.devices.sound
  if (wanted) domain.devices.sound = [{ $model: wanted.model || 'ich9', alias: { $name: `ua-${wanted.name}` } }]
}

export const panicDevices: Configurator = (domain, { vmi }) => {
  const wanted = vmi.spec.domain.devices.panicDevices ?? []
  if (wanted.length > 0) domain.devices.panic = wanted.map(({ model }) => ({ $model: model }))
}

const redirectedUsbDevices = 4

/** USB devices of whoever sits at `virtctl usbredir`. */
export const clientPassthrough: Configurator = (domain, { vmi, context }) => {
  if (!vmi.spec.domain.devices.clientPassthrough) return
  domain.devices.redirdev = Array.from({ length: redirectedUsbDevices }, (_, index) => ({
    $type: 'unix',
    $bus: 'usb',
    source: { $mode: 'bind', $path: `${context.paths.consoles}/virt-usbredir-${index}` },
  }))
}

export const vsock: Configurator = (domain, { vmi, arch }) => {
  const cid = vmi.status?.VSOCKCID
  if (!vmi.spec.domain.devices.autoattachVSOCK || cid === undefined) return
  const model = arch.virtioModel(Boolean(vmi.spec.domain.devices.useVirtioTransitional))
  domain.devices.vsock = { $model: model, cid: { $auto: 'no', $address: String(cid) } }
}

/** Without an address of their own, pointers move relative to where they are; a tablet says where it is. */
export const inputs: Configurator = (domain, { vmi, arch }) => {
  const listed = (vmi.spec.domain.devices.inputs ?? []).map(({ name, type, bus = 'usb' }) => ({
    $type: type,
    $bus: bus,
    $model: bus === 'virtio' ? 'virtio' : undefined,
    alias: { $name: `ua-${name}` },
  }))
  const own = (vmi.spec.domain.devices.autoattachGraphicsDevice === false ? [] : arch.inputs)
    .filter(({ type }) => type !== 'tablet' || !listed.some(({ $type }) => $type === 'tablet'))
    .map(({ type, bus }) => ({ $type: type, $bus: bus }))
  if (listed.length + own.length > 0) domain.devices.input = [...listed, ...own]
}

/** What the guest does when it reboots by itself. */
export const rebootPolicy: Configurator = (domain, { vmi }) => {
  if (vmi.spec.domain.rebootPolicy === 'Terminate') domain.on_reboot = 'destroy'
}
