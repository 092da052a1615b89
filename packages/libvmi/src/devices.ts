import type { Devices } from '@kubevirt-ts/api'
import type { VmiPiece } from './piece.ts'

/** Sets devices that have no piece of their own, e.g. `withDevices({ tpm: {} })`. */
export function withDevices(devices: Devices): VmiPiece {
  return ({ spec }) => {
    spec.domain.devices = { ...spec.domain.devices, ...devices }
  }
}

/** No display and hence no VNC. */
export function withoutGraphics(): VmiPiece {
  return withDevices({ autoattachGraphicsDevice: false })
}

export function withoutSerialConsole(): VmiPiece {
  return withDevices({ autoattachSerialConsole: false })
}
