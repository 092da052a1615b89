import type { Default } from './default.ts'

export const inputs: Default = ({ spec }) => {
  for (const input of spec.domain.devices.inputs ?? []) {
    input.bus ||= 'usb'
    input.type ||= 'tablet'
  }
}

/** The watchdog that the architecture has; its action is a reset. */
export const watchdog: Default = ({ spec }) => {
  const wanted = spec.domain.devices.watchdog
  if (!wanted || spec.architecture === 'arm64') return
  const device = spec.architecture === 's390x' ? (wanted.diag288 ??= {}) : (wanted.i6300esb ??= {})
  device.action ||= 'reset'
}
