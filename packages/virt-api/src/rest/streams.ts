import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { StatusError } from '../status-error.ts'
import type { Check } from './pass-through.ts'
import { conflict, vmiKind } from './subjects.ts'

const badRequest = ({ metadata }: VirtualMachineInstance, message: string) =>
  new StatusError(400, message, { kind: vmiKind, name: metadata.name })

const needRunning: Check = (vmi) => {
  if (vmi.status?.phase !== 'Running') throw badRequest(vmi, 'VMI is not running')
}

const console: Check = (vmi) => {
  if (vmi.spec.domain.devices.autoattachSerialConsole === false)
    throw badRequest(vmi, 'No serial consoles are present.')
  if (vmi.status?.phase === 'Failed') throw conflict(vmiKind, vmi.metadata.name, 'VMI is in failed status')
  needRunning(vmi)
}

/** Also what a picture of the screen needs. */
export const vnc: Check = (vmi) => {
  if (vmi.spec.domain.devices.autoattachGraphicsDevice === false)
    throw badRequest(vmi, 'No graphics devices are present.')
  needRunning(vmi)
}

const usbredir: Check = (vmi) => {
  if (vmi.spec.architecture === 's390x') throw conflict(vmiKind, vmi.metadata.name, 'No USB support on s390x')
  if (!vmi.spec.domain.devices.clientPassthrough) {
    throw conflict(vmiKind, vmi.metadata.name, 'Not configured with USB Redirection')
  }
  needRunning(vmi)
}

const vsock: Check = (vmi) => {
  if (!vmi.spec.domain.devices.autoattachVSOCK) throw badRequest(vmi, 'VSOCK is not attached.')
  needRunning(vmi)
}

/** Streams of a guest by subresource, with what a guest must be like to have them. */
export const streams: Readonly<Record<string, Check>> = { console, vnc, usbredir, vsock }
