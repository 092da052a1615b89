import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { VMI } from './generated/kubevirt/cmd/v1/cmd.ts'

/** An object as the bytes that a message carries. */
export function encodeJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** The object in a message's bytes; undefined for no bytes. Throws a SyntaxError for what is no JSON. */
export function decodeJson<T>(bytes: Uint8Array): T | undefined {
  if (bytes.byteLength === 0) return undefined
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as T
}

/** The `vmi` field of a request. */
export function encodeVmi(vmi: VirtualMachineInstance): VMI {
  return { vmiJson: encodeJson(vmi) }
}

/** The guest that a request names. Throws when the request names none. */
export function decodeVmi(request: { vmi?: VMI | undefined }): VirtualMachineInstance {
  const vmi = request.vmi && decodeJson<VirtualMachineInstance>(request.vmi.vmiJson)
  if (vmi === undefined) throw new Error('the request names no VirtualMachineInstance')
  return vmi
}
